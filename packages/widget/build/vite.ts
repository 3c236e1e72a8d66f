import { createHash } from 'node:crypto';
import type { InlineConfig, Plugin } from 'vite';
import { markedLexer } from './marked-lexer.ts';

const ROOT = import.meta.dirname.replace(/\/build$/, '');
export const DIST = `${ROOT}/dist`;

/**
 * The supported browsers. For older browsers, Vite would replace `light-dark()` with variables that follow only the
 * system, not the property `color-scheme`.
 */
const CSS_TARGET = ['chrome123', 'firefox128', 'safari17.5'];

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
    cssTarget: CSS_TARGET,
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
  cssTarget: CSS_TARGET,
  reportCompressedSize: false,
};

/** `embed-chat.js`, which the first opening loads into the page. */
export function chat(toolsScript: Buffer): InlineConfig {
  const toolsUrl = importOf('widget/assets/embed-tools.js', toolsScript, 'import.meta.url');
  const plugin = byUrl((code) => code.replace("import('../tools/page-tools.ts')", toolsUrl));
  return { ...module('chat/chat.ts', 'embed-chat.js'), plugins: [plugin] };
}

/** `embed-names.js`, which the loader imports after a mistake in a page. The server serves this file as an asset. */
export const names = module('names.ts', 'embed-names.js');

/** `embed-tools.js`, which pages with tools load. The server serves this file as an asset. */
export const tools = module('tools/page-tools.ts', 'embed-tools.js');

/** Returns the options for a module of the embedding page. */
function module(source: string, name: string): InlineConfig {
  return {
    ...common,
    build: {
      ...pageScript,
      modulePreload: false,
      rolldownOptions: {
        input: `${ROOT}/loader/${source}`,
        preserveEntrySignatures: 'strict',
        output: { entryFileNames: name },
      },
    },
  };
}

/**
 * `embed.js`, the script that a page includes. The script imports the other scripts by absolute URLs with content
 * hashes. Relative imports do not work, because a classic script of another origin has no base URL
 * (https://html.spec.whatwg.org/#creating-a-classic-script, muted errors).
 */
export function loader(chatScript: Buffer, namesScript: Buffer): InlineConfig {
  const chatUrl = importOf('embed-chat.js', chatScript);
  const namesUrl = importOf('widget/assets/embed-names.js', namesScript);
  return {
    ...common,
    plugins: [
      byUrl((code) =>
        code.replace("import('./chat/chat.ts')", chatUrl).replace("import('./names.ts')", namesUrl),
      ),
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

/** Replaces the specifiers of dynamic imports with the URLs of the scripts. */
function byUrl(transform: (code: string) => string): Plugin {
  return { name: 'scripts-by-url', enforce: 'pre', transform };
}

/** Returns an expression that imports a file by its URL relative to `base`. */
function importOf(path: string, content: Buffer, base = 'script.src'): string {
  const version = createHash('sha256').update(content).digest('base64url').slice(0, 8);
  return `import(/* @vite-ignore */ new URL(/* @vite-ignore */ '${path}?${version}', ${base}).href)`;
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
