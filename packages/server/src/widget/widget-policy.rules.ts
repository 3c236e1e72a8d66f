/** Scheme, host and port, and nothing that would end a directive or begin another one. */
const ORIGIN = /^https?:\/\/[a-z0-9.\-_:[\]]+$/i;

/**
 * The Content-Security-Policy of the widget page (https://www.w3.org/TR/CSP3/): its own script and
 * style alone, requests to this service alone, and frames on this service and the given origins.
 *
 * @param nonce fresh for each answer, base64.
 * @param ancestors web origins; whatever is none is left out, so that it can allow nothing.
 */
export function widgetPolicy(nonce: string, ancestors: readonly string[]): string {
  const frames = ancestors.filter((origin) => ORIGIN.test(origin));
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    ["frame-ancestors 'self'", ...frames].join(' '),
  ].join('; ');
}
