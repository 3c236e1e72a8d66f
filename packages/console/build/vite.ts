import type { InlineConfig } from 'vite';

const ROOT = import.meta.dirname.replace(/\/build$/, '');
export const DIST = `${ROOT}/dist`;

/** Builds modules and one style sheet with content hashes in their names, and a manifest that names the entry. */
export const pages: InlineConfig = {
  root: ROOT,
  base: './',
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: DIST,
    emptyOutDir: true,
    assetsDir: '',
    manifest: 'manifest.json',
    target: 'es2023',
    // Prevents CSS rewriting for older browsers, which the console does not support.
    cssTarget: ['chrome123', 'firefox128', 'safari17.5'],
    modulePreload: false,
    cssCodeSplit: false,
    reportCompressedSize: false,
    rolldownOptions: { input: `${ROOT}/app/main.tsx` },
  },
};
