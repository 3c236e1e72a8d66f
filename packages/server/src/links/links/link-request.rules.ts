import type { Issue } from '@gatehouse/contract';
import type { Caller } from '../../identity/index.ts';
import { permissionFilterIssues } from '../../lib/filters/index.ts';
import { expiryIssues } from './link.rules.ts';

/** Maximum values in a `filter`, including objects and arrays. Sufficient for 512 conditions or a list of 1,000 values. */
const MAX_FILTER_VALUES = 2000;
/** Characters that browsers strip, display misleadingly, or (the backslash) treat as a slash. */
const UNSAFE = /[\s\p{C}\\]/u;
const ABSOLUTE = /^https?:\/\/([^/?#]+)/i;

type Body = Readonly<Record<string, unknown>>;

/**
 * Returns the problems of a link request that its schema cannot express. Members of the wrong type are skipped,
 * because the schema reports them.
 *
 * @param now Unix milliseconds.
 */
export function linkRequestIssues(body: Body, caller: Caller, now: number): Issue[] {
  return [
    ...targetIssues(body, caller),
    ...expiryIssues(body['exp'], now),
    ...loginUrlIssues(body['loginUrl']),
    ...linkFilterIssues(body),
  ];
}

/** Returns the problems of the two filters of a link. */
export function linkFilterIssues(body: Body): Issue[] {
  return [...permissionFilterIssues(body), ...filterIssues(body['filter'])];
}

/** Returns an issue if a user names no space. A user may edit several spaces, so only an API key implies a space. */
function targetIssues(body: Body, caller: Caller): Issue[] {
  const named = body['spaceId'] !== undefined || body['botId'] !== undefined;
  if (named || caller.kind === 'key') return [];
  return [
    {
      message:
        'spaceId: is required with a session; alternatively, send the deprecated botId of a bot in the space',
    },
  ];
}

function loginUrlIssues(loginUrl: unknown): Issue[] {
  if (typeof loginUrl !== 'string' || loginUrl === '') return [];
  const problem = loginUrlProblem(loginUrl);
  return problem === null ? [] : [{ message: `loginUrl: ${problem}` }];
}

/**
 * Returns the problem of a `loginUrl`, or null if it is valid. A valid `loginUrl` is an absolute http(s) URL or a path with
 * exactly one leading slash. Other forms could run a script or open a different site from the one that the user sees.
 */
export function loginUrlProblem(loginUrl: string): string | null {
  if (UNSAFE.test(loginUrl))
    return 'must not contain spaces, control characters or backslashes; percent-encode them';
  if (loginUrl.startsWith('//'))
    return 'must start with one "/", not two; use an absolute URL with https:// for another host';
  if (loginUrl.startsWith('/')) return null;
  const authority = ABSOLUTE.exec(loginUrl)?.[1];
  if (authority === undefined)
    return 'must be an absolute URL that starts with https:// or http://, or a path that starts with one "/"';
  if (authority.includes('@')) return 'must not contain a user name or password before the host';
  return URL.canParse(loginUrl) ? null : 'must be a valid URL; its host or port is invalid';
}

/**
 * Checks the limits of the whole filter. The parser checks each member separately, so the parser's limits apply only to single
 * members.
 */
function filterIssues(filter: unknown): Issue[] {
  return countValues(filter) <= MAX_FILTER_VALUES
    ? []
    : [
        {
          message: `filter: must contain at most ${MAX_FILTER_VALUES} values, including objects and arrays`,
        },
      ];
}

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, inner) => sum + countValues(inner), 1);
}
