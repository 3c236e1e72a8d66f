import type { Scheme } from '../../protocol/messages.ts';

const root = document.documentElement;

/**
 * Returns the colour scheme in which the page is shown: the CSS property `color-scheme` of the root element, or if the
 * page does not set this property, a class `light` or `dark`, `data-theme` or `data-bs-theme` of the root element.
 * Returns `null` if the page supports both schemes or specifies none.
 */
function pageScheme(): Scheme {
  const { colorScheme } = getComputedStyle(root);
  const { theme, bsTheme } = root.dataset;
  const source = colorScheme === 'normal' ? `${root.className} ${theme} ${bsTheme}` : colorScheme;
  const words = source.split(/\s/);
  const isDark = words.includes('dark');
  if (isDark === words.includes('light')) return null;
  return isDark ? 'dark' : 'light';
}

/**
 * Calls the listener with the colour scheme of the page: now, after changes to attributes of the root element, and after
 * changes to the colour scheme of the system. Returns a function that stops the calls.
 */
export function watchPageScheme(listener: (scheme: Scheme) => void): () => void {
  const update = () => listener(pageScheme());
  const observer = new MutationObserver(update);
  const system = matchMedia('(prefers-color-scheme: dark)');
  observer.observe(root, { attributes: true });
  system.onchange = update;
  update();
  return () => {
    observer.disconnect();
    system.onchange = null;
  };
}
