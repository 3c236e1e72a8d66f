import { createHash } from 'node:crypto';
import type { InlineConfig, Plugin } from 'vite';
import { markedLexer } from './marked-lexer.ts';

const ROOT = import.meta.dirname.replace(/\/build$/, '');
export const DIST = `${ROOT}/dist`;

const common: InlineConfig = {
  root: ROOT,
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
};

/** The frame. Builds modules with a content hash in their names, and a manifest that names the entry. */
export const frame: InlineConfig = {
  ...common,
  plugins: [markedLexer(), withoutPreload()],
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

/** Options for the scripts of the embedding page. Each script is one file with a fixed name. */
const pageScript: InlineConfig['build'] = {
  outDir: DIST,
  emptyOutDir: false,
  target: 'es2022',
  // Prevents CSS rewriting for older browsers, which the scripts do not support.
  cssTarget: ['chrome123', 'firefox128', 'safari17.5'],
  reportCompressedSize: false,
};

/** `embed-chat.js`, which the first opening loads into the page. */
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
 * `embed.js`, the script that a page includes. The script imports `embed-chat.js` by an absolute URL with a content
 * hash. Relative imports do not work, because a classic script of another origin has no base URL
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
 * Removes Vite's helper that preloads the styles and scripts of dynamic imports. The chunks do not need this helper of
 * more than one kilobyte.
 */
function withoutPreload(): Plugin {
  return {
    name: 'without-preload',
    enforce: 'pre',
    load: (id) =>
      id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load();' : null,
  };
}
