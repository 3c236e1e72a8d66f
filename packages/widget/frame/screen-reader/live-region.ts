import { type ComponentChildren, h, type JSX } from 'preact';

/**
 * An ARIA live region. Render it before the first line, because screen readers ignore the initial content. Its
 * children are `SpokenLines`.
 */
export function LiveRegion({ children }: { readonly children?: ComponentChildren }): JSX.Element {
  return h(
    'div',
    {
      class: 'visually-hidden',
      role: 'log',
      'aria-live': 'polite',
      'aria-relevant': 'additions',
      'aria-atomic': 'false',
    },
    children,
  );
}
