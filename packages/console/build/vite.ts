import type { InlineConfig } from 'vite';

const ROOT = import.meta.dirname.replace(/\/build$/, '');
export const DIST = `${ROOT}/dist`;

/**
 * Modules of the first page, and small modules that many lists use. One file contains them all, because each file costs time on a slow
 * processor. Without this rule, each module that several pages use would be a file of its own.
 */
const FIRST_PAGE =
  /node_modules\/(preact|preact-iso|@preact\/signals(-core)?)\/|packages\/client\/|console\/(app\/|pages\/sign-in\/|pages\/spaces\/spaces-page|translations\/(translate|languages)\.|components\/(code|confirm|exact-time|field|form|language-choice|list|loading-note|problem-note|shortened|simple-table|table|time)\.|pages\/links\/state-badge\.|pages\/events\/(event-row|event-tabs|event-filter|listed-event)\.)/;

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
    rolldownOptions: {
      input: `${ROOT}/app/main.tsx`,
      output: { codeSplitting: { groups: [{ name: 'first', test: FIRST_PAGE }] } },
    },
  },
};
