/** White space, control and invisible characters, which browsers strip or show misleadingly, and the backslash, which they read as a slash. */
const UNSAFE = /[\s\p{C}\\]/u;
const ABSOLUTE = /^https?:\/\/([^/?#]+)/i;

/**
 * What is wrong with a `loginUrl` and how to mend it, or null. Allowed are an absolute http(s) URL
 * and a path with exactly one leading slash: anything else could lead a person who presses the
 * button to another site than the one that is written there, or run a script.
 */
export function loginUrlProblem(loginUrl: string): string | null {
  if (UNSAFE.test(loginUrl))
    return 'must not hold spaces, control characters or backslashes; percent-encode them';
  if (loginUrl.startsWith('//'))
    return 'must begin with one "/", not two, which lead to another host; for another host give https:// as well';
  if (loginUrl.startsWith('/')) return null;
  const authority = ABSOLUTE.exec(loginUrl)?.[1];
  if (authority === undefined)
    return 'must be an absolute URL that begins with https:// or http://, or a path that begins with one "/"';
  if (authority.includes('@')) return 'must not hold a user name or password before the host';
  return URL.canParse(loginUrl) ? null : 'must be a valid URL; its host or port is not';
}
