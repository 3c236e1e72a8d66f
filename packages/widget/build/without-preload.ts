import type { Plugin } from 'vite';

const HELPER = '\0vite/preload-helper.js';

/**
 * Leaves out what Vite puts around each dynamic import, to fetch styles and scripts that it needs ahead of
 * time: our chunks have no styles of their own, and it weighs more than a kilobyte.
 */
export function withoutPreload(): Plugin {
  return {
    name: 'without-preload',
    enforce: 'pre',
    load: (id) => (id === HELPER ? 'export const __vitePreload = (load) => load();' : null),
  };
}
