import type { InlineConfig } from 'vite';
import { lexerAlone } from './lexer-alone.ts';

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
  plugins: [lexerAlone()],
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

/** The script that a page includes: one file under a name that stays. */
export const loader: InlineConfig = {
  ...common,
  build: {
    outDir: DIST,
    emptyOutDir: false,
    target: 'es2020',
    reportCompressedSize: false,
    lib: {
      entry: `${ROOT}/loader/main.ts`,
      formats: ['iife'],
      name: 'gatehouse',
      fileName: () => 'embed.js',
    },
  },
};
