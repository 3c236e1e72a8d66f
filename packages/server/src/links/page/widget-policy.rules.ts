/** Scheme, host and port, and nothing that would end a directive or an attribute, or begin another one. */
const ORIGIN = /^https?:\/\/[a-z0-9.\-_:[\]]+$/i;

/** Those of some texts that are web origins: only they may get into a policy or a page. */
export function webOrigins(texts: readonly string[]): string[] {
  return texts.filter((text) => ORIGIN.test(text));
}

/**
 * The Content-Security-Policy of the widget page (https://www.w3.org/TR/CSP3/): its own script and
 * style alone, no string as HTML or script, requests to this service alone, and frames on this service
 * and the given origins.
 *
 * @param nonce fresh for each answer, base64.
 * @param ancestors web origins, as `webOrigins` lets them through.
 */
export function widgetPolicy(nonce: string, ancestors: readonly string[]): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    ["frame-ancestors 'self'", ...ancestors].join(' '),
  ].join('; ');
}
