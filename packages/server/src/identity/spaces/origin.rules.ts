import type { Issue } from '@gatehouse/contract';

/**
 * Scheme, host and port as a browser writes them in an `Origin` header. Stricter about the host than
 * the URL standard, which lets `;`, `'` and `*` pass: origins end up in a Content-Security-Policy.
 */
const ORIGIN =
  /^https?:\/\/([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*|\[[0-9a-f:.]+\])(:\d{1,5})?$/;
const EXAMPLE = 'https://shop.example';

/** An origin as it is stored and compared: the letter case of scheme and host does not matter. */
export function foldOrigin(origin: string): string {
  return origin.toLowerCase();
}

/** What is wrong with the `allowedOrigins` of a body, and how to mend it. */
export function originIssues(body: Readonly<Record<string, unknown>>): Issue[] {
  const { allowedOrigins } = body;
  if (!Array.isArray(allowedOrigins)) return [];
  const seen = new Set<string>();
  return allowedOrigins.flatMap((given: unknown, index) => {
    if (typeof given !== 'string' || given === '') return [];
    const origin = foldOrigin(given);
    // The schema tells of two that are equal to the letter.
    const repeated = seen.has(origin) && !allowedOrigins.slice(0, index).includes(given);
    seen.add(origin);
    const problem = originProblem(given) ?? (repeated ? 'is given twice' : undefined);
    return problem === undefined ? [] : [{ message: `allowedOrigins[${index}]: ${problem}` }];
  });
}

/** What is wrong with one origin; undefined when nothing is. */
export function originProblem(given: string): string | undefined {
  const folded = foldOrigin(given);
  const url = URL.parse(folded);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    return `must be a web origin with http or https, such as ${EXAMPLE}`;
  if (url.origin === folded && ORIGIN.test(folded)) return undefined;
  if (url.host.includes('*')) return 'must name one host; there are no wildcards, list each origin';
  if (!ORIGIN.test(url.origin)) return `must have an ordinary host name, such as ${EXAMPLE}`;
  return `must be scheme, host and port alone, without path, trailing slash or default port: ${url.origin}`;
}
