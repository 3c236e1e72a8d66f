/**
 * Resolves the target of the sign-in button. Accepts an http(s) URL, or a path on the embedding page. Returns `null`
 * for anything else, and for a path if the embedding page is unknown.
 *
 * @param page the origin or URL of the embedding page, or `null` if the browser does not reveal the origin.
 */
export function resolveLoginUrl(loginUrl: string | null, page: string | null): string | null {
  if (loginUrl === null || !/^(https?:\/\/|\/(?![/\\]))/i.test(loginUrl)) return null;
  const url = URL.parse(loginUrl, page ?? undefined);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}
