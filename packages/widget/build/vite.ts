import { createHash } from 'node:crypto';
import type { InlineConfig, Plugin } from 'vite';
import { lexerAlone } from './lexer-alone.ts';

const ROOT = import.meta.dirname.replace(/\/build$/, '');
export const DIST = `${ROOT}/dist`;

const common: InlineConfig = {
  root: ROOT,
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
};

/** The frame: modules with a content hash in their names, and a manifest with the entry. */
export const frame: InlineConfig = {
  ...common,
  plugins: [lexerAlone(), withoutPreload()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: DIST,
    emptyOutDir: true,
    assetsDir: '',
    manifest: 'manifest.json',
    target: 'es2023',
    modulePreload: false,
    cssCodeSplit: false,
    reportCompressedSize: false,
    rolldownOptions: { input: `${ROOT}/frame/main.tsx` },
  },
};

/** Options of scripts for the embedding page: one file each, with a fixed name. */
const pageScript: InlineConfig['build'] = {
  outDir: DIST,
  emptyOutDir: false,
  target: 'es2022',
  // Prevents rewriting for older browsers, in which the scripts do not work anyway.
  cssTarget: ['chrome123', 'firefox128', 'safari17.5'],
  reportCompressedSize: false,
};

/** The script that the first opening loads into the page. */
export const chat: InlineConfig = {
  ...common,
  build: {
    ...pageScript,
    modulePreload: false,
    rolldownOptions: {
      input: `${ROOT}/loader/chat/chat.ts`,
      preserveEntrySignatures: 'strict',
      output: { entryFileNames: 'embed-chat.js' },
    },
  },
};

/**
 * The script that a page includes. It imports `embed-chat.js` by an absolute URL with a content hash, because
 * relative imports do not work in a script of another origin, which has no base URL
 * (https://html.spec.whatwg.org/#creating-a-classic-script, muted errors).
 */
export function loader(chatScript: Buffer): InlineConfig {
  const version = createHash('sha256').update(chatScript).digest('base64url').slice(0, 8);
  const url = `new URL('embed-chat.js?${version}', script.src).href`;
  return {
    ...common,
    plugins: [
      {
        name: 'chat-by-url',
        enforce: 'pre',
        transform: (code) =>
          code.replace("import('./chat/chat.ts')", `import(/* @vite-ignore */ ${url})`),
      },
    ],
    build: {
      ...pageScript,
      lib: {
        entry: `${ROOT}/loader/main.ts`,
        formats: ['iife'],
        name: 'gatehouse',
        fileName: () => 'embed.js',
      },
    },
  };
}

/**
 * Removes the code that Vite adds to each dynamic import, more than a kilobyte, to preload styles and scripts.
 * Our chunks need none of it.
 */
function withoutPreload(): Plugin {
  return {
    name: 'without-preload',
    enforce: 'pre',
    load: (id) =>
      id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load();' : null,
  };
}
