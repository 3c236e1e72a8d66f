/**
 * Where the button to sign in leads: an http(s) URL, or a path of the page that embeds this one, if the
 * browser tells which that is. Null for anything else.
 *
 * @param page the origin or an address of the page that the browser shows; null: it does not tell.
 */
export function loginTarget(loginUrl: string | null, page: string | null): string | null {
  if (loginUrl === null || !/^(https?:\/\/|\/(?![/\\]))/i.test(loginUrl)) return null;
  const url = URL.parse(loginUrl, page ?? undefined);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}
