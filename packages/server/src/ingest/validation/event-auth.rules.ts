import { nearestName } from '@gatehouse/contract';
import { shownName } from '../../lib/json/index.ts';
import type { EventAuth } from '../formats/read-event.rules.ts';

const MEMBERS = ['apiKey', 'signature', 'timestamp'];
const MAX_PROBLEMS = 100;

/**
 * What is wrong with an `auth` member: an object of the optional strings `apiKey`, `signature` and
 * `timestamp` and nothing else. Every problem (100 at most) begins with its path; none shows a value.
 */
export function authProblems(auth: unknown): readonly string[] {
  if (typeof auth !== 'object' || auth === null || Array.isArray(auth)) {
    return ['auth: must be an object'];
  }
  const members = auth as Record<string, unknown>;
  const problems: string[] = [];
  for (const name of Object.keys(members)) {
    if (problems.length === MAX_PROBLEMS) break;
    if (!MEMBERS.includes(name)) {
      problems.push(`auth.${shownName(name)}: unknown member${hint(name)}`);
    } else if (typeof members[name] !== 'string') {
      problems.push(`auth.${name}: must be a string`);
    }
  }
  return problems;
}

/** @param auth one in which `authProblems` has found none. */
export function toEventAuth(auth: unknown): EventAuth {
  return auth as EventAuth;
}

function hint(name: string): string {
  const nearest = nearestName(name, MEMBERS);
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}
