/**
 * Where the button to sign in leads: an http(s) URL, or a path of the page that embeds this one, if the
 * browser tells which that is. Null for anything else.
 *
 * @param embedder the embedding page's origin or address, where there is one.
 */
export function loginTarget(loginUrl: string | null, embedder: string | null): string | null {
  if (loginUrl === null || !/^(https?:\/\/|\/(?![/\\]))/i.test(loginUrl)) return null;
  const base = URL.parse(embedder ?? '')?.origin ?? new URL(location.href).origin;
  const url = URL.parse(loginUrl, base);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}
