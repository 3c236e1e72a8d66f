import type { Issue } from '@gatehouse/contract';
import { parse } from '@gatehouse/filter';
import type { Caller } from '../../identity/index.ts';
import { expiryIssues } from './link.rules.ts';

/** As many as the largest permission filter needs for its 512 conditions, and a list of 1,000 values. */
const MAX_FILTER_VALUES = 2000;
/** White space, control and invisible characters, which browsers strip or show misleadingly, and the backslash, which they read as a slash. */
const UNSAFE = /[\s\p{C}\\]/u;
const ABSOLUTE = /^https?:\/\/([^/?#]+)/i;

type Body = Readonly<Record<string, unknown>>;

/**
 * What a request for a link must hold to beyond its schema. A member of the wrong type is the
 * schema's to report and is left alone here.
 *
 * @param now Unix milliseconds.
 */
export function linkRequestIssues(body: Body, caller: Caller, now: number): Issue[] {
  return [
    ...targetIssues(body, caller),
    ...expiryIssues(body['exp'], now),
    ...loginUrlIssues(body['loginUrl']),
    ...permissionFilterIssues(body['permissionFilter']),
    ...filterIssues(body['filter']),
  ];
}

/** A person may edit several spaces, so that only a key has one of its own. */
function targetIssues(body: Body, caller: Caller): Issue[] {
  const named = body['spaceId'] !== undefined || body['botId'] !== undefined;
  if (named || caller.kind === 'key') return [];
  return [
    {
      message:
        'spaceId: is required with a session; the deprecated botId may name a bot of the space instead',
    },
  ];
}

function loginUrlIssues(loginUrl: unknown): Issue[] {
  if (typeof loginUrl !== 'string' || loginUrl === '') return [];
  const problem = loginUrlProblem(loginUrl);
  return problem === null ? [] : [{ message: `loginUrl: ${problem}` }];
}

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

/** Its members are parsed one by one, so that the parser's limits would bound each and not the whole. */
function filterIssues(filter: unknown): Issue[] {
  return countValues(filter) <= MAX_FILTER_VALUES
    ? []
    : [
        {
          message: `filter: must hold at most ${MAX_FILTER_VALUES} values, objects and arrays included`,
        },
      ];
}

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, inner) => sum + countValues(inner), 1);
}

function permissionFilterIssues(filter: unknown): Issue[] {
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) return [];
  const result = parse(filter);
  if (result.ok) return [];
  return result.problems.map(({ path, message }) => ({
    message: `${path === '' ? 'permissionFilter' : `permissionFilter.${path}`}: ${message}`,
  }));
}
