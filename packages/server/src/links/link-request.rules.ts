import type { Issue } from '@gatehouse/contract';
import { parse } from '@gatehouse/filter';
import type { Caller } from '../access/index.ts';
import { loginUrlProblem } from './login-url.rules.ts';

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

function permissionFilterIssues(filter: unknown): Issue[] {
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) return [];
  const result = parse(filter);
  if (result.ok) return [];
  return result.problems.map(({ path, message }) => ({
    message: `${path === '' ? 'permissionFilter' : `permissionFilter.${path}`}: ${message}`,
  }));
}
