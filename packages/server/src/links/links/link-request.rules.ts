import type { Issue } from '@gatehouse/contract';
import { parse } from '@gatehouse/filter';
import type { Caller } from '../../identity/index.ts';
import { loginUrlProblem } from './login-url.rules.ts';

/** As many as the largest permission filter needs for its 512 conditions, and a list of 1,000 values. */
const MAX_FILTER_VALUES = 2000;

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
    ...expIssues(body['exp'], now),
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

function expIssues(exp: unknown, now: number): Issue[] {
  if (typeof exp !== 'number' || !Number.isFinite(exp) || exp > now / 1000) return [];
  const seconds = Math.floor(now / 1000);
  return [
    {
      message: `exp: must be in the future, in Unix seconds; it is now ${seconds} (${new Date(now).toISOString()})`,
    },
  ];
}

function loginUrlIssues(loginUrl: unknown): Issue[] {
  if (typeof loginUrl !== 'string' || loginUrl === '') return [];
  const problem = loginUrlProblem(loginUrl);
  return problem === null ? [] : [{ message: `loginUrl: ${problem}` }];
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
