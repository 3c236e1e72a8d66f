import { signal } from '@preact/signals';

/** Kinds of tokens that a URL of the console may contain after `#`. */
const KINDS = ['setup', 'invitation', 'reset', 'sign-in', 'sso-code'] as const;

export interface Fragment {
  readonly kind: (typeof KINDS)[number];
  readonly token: string;
}

/**
 * Returns the token after `#` in the address, or null, and removes it from the address and from the history of the browser, so that nobody finds
 * it there. If the user opens another link in the same tab, the browser does not load the page again, so the page does.
 */
export function readFragment() {
  const given = parseFragment();
  if (given !== null) history.replaceState(null, '', location.pathname + location.search);
  addEventListener('hashchange', () => {
    if (parseFragment() !== null) location.reload();
  });
  return signal<Fragment | null>(given);
}

function parseFragment(): Fragment | null {
  const [, name = '', token = ''] = /^#([a-z-]+)=(.+)$/.exec(location.hash) ?? [];
  const kind = KINDS.find((one) => one === name);
  return kind === undefined ? null : { kind, token };
}
