import { signal } from '@preact/signals';

/** Kinds of tokens that a URL of the console may contain after `#`. */
const KINDS = ['setup', 'invitation', 'reset', 'sign-in', 'sso-code'] as const;

export interface Fragment {
  readonly kind: (typeof KINDS)[number];
  readonly token: string;
}

/**
 * Returns the token after `#` in the address, or null, and removes it from the address and from the history of the browser, so that nobody finds
 * it there.
 */
export function readFragment() {
  const [, name = '', token = ''] = /^#([a-z-]+)=(.+)$/.exec(location.hash) ?? [];
  const kind = KINDS.find((one) => one === name);
  if (kind !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return signal<Fragment | null>(kind === undefined ? null : { kind, token });
}
