import type { Issue } from '@gatehouse/contract';

/**
 * Scheme, host and port in the form of an `Origin` header. The URL standard permits `;`, `'` and `*` in a host. This pattern
 * rejects these characters, because origins are written into a Content-Security-Policy.
 */
const ORIGIN =
  /^https?:\/\/([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*|\[[0-9a-f:.]+\])(:\d{1,5})?$/;
const EXAMPLE = 'https://shop.example';

/** Returns an origin in the form in which origins are stored and compared. */
export function foldOrigin(origin: string): string {
  return origin.toLowerCase();
}

/** Returns the problems of a body's `allowedOrigins` that its schema cannot express. */
export function originIssues(body: Readonly<Record<string, unknown>>): Issue[] {
  const { allowedOrigins } = body;
  if (!Array.isArray(allowedOrigins)) return [];
  const seen = new Set<string>();
  return allowedOrigins.flatMap((given: unknown, index) => {
    if (typeof given !== 'string' || given === '') return [];
    const origin = foldOrigin(given);
    // The schema reports exact duplicates.
    const repeated = seen.has(origin) && !allowedOrigins.slice(0, index).includes(given);
    seen.add(origin);
    const problem =
      originProblem(given) ?? (repeated ? 'is a duplicate of an earlier origin' : undefined);
    return problem === undefined ? [] : [{ message: `allowedOrigins[${index}]: ${problem}` }];
  });
}

/** Returns the problem of an origin, or `undefined` if it is valid. */
export function originProblem(given: string): string | undefined {
  const folded = foldOrigin(given);
  const url = URL.parse(folded);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    return `must be a web origin with http or https, such as ${EXAMPLE}`;
  if (url.origin === folded && ORIGIN.test(folded)) return undefined;
  if (url.host.includes('*'))
    return 'must name one host; wildcards are not supported, so list each origin';
  if (!ORIGIN.test(url.origin)) return `must have an ordinary host name, such as ${EXAMPLE}`;
  return `must consist of scheme, host and port, without path, trailing slash or default port: ${url.origin}`;
}
