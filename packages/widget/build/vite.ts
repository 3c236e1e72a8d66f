import { createHash } from 'node:crypto';
import type { InlineConfig } from 'vite';
import { lexerAlone } from './lexer-alone.ts';
import { withoutPreload } from './without-preload.ts';

const ROOT = import.meta.dirname.replace(/\/build$/, '');
export const DIST = `${ROOT}/dist`;

const common: InlineConfig = {
  root: ROOT,
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
};

/** The chat: modules whose names hold a hash of what is in them, and a manifest that says which comes first. */
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

/** What a page's own window runs: one file each, under a name that stays. */
const ofPage: InlineConfig['build'] = {
  outDir: DIST,
  emptyOutDir: false,
  target: 'es2022',
  // Not rewritten for browsers that lack what it uses: there, it would be larger and still not work.
  cssTarget: ['chrome123', 'firefox128', 'safari17.5'],
  reportCompressedSize: false,
};

/** What the first opening brings into the page. */
export const opening: InlineConfig = {
  ...common,
  build: {
    ...ofPage,
    modulePreload: false,
    rolldownOptions: {
      input: `${ROOT}/loader/chat/chat.ts`,
      preserveEntrySignatures: 'strict',
      output: { entryFileNames: 'embed-chat.js' },
    },
  },
};

/**
 * The script that a page includes. It imports the other one by its address beside itself, with a hash of
 * what is in it: a relative import would lead nowhere, because a script of another origin has no address
 * of its own to start from (https://html.spec.whatwg.org/#creating-a-classic-script, muted errors).
 */
export function loader(openingScript: Buffer): InlineConfig {
  const version = createHash('sha256').update(openingScript).digest('base64url').slice(0, 8);
  const address = `new URL('embed-chat.js?${version}', script.src).href`;
  return {
    ...common,
    plugins: [
      {
        name: 'opening-by-its-address',
        enforce: 'pre',
        transform: (code) =>
          code.replace("import('./chat/chat.ts')", `import(/* @vite-ignore */ ${address})`),
      },
    ],
    build: {
      ...ofPage,
      lib: {
        entry: `${ROOT}/loader/main.ts`,
        formats: ['iife'],
        name: 'gatehouse',
        fileName: () => 'embed.js',
      },
    },
  };
}
