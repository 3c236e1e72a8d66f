import { invalidRequest } from '@gatehouse/contract';
import type { Period } from './space-conversation.repository.ts';

/** Throws 400 for times that do not exist, such as 30 February. */
export function readPeriod(given: {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}): Period {
  const problems: string[] = [];
  const read = (name: 'from' | 'to') => {
    const text = given[name];
    if (text === undefined) return null;
    const time = Date.parse(text);
    if (!Number.isNaN(time)) return time;
    problems.push(`${name}: must be a time in RFC 3339, such as 2026-05-03T12:00:00Z`);
    return null;
  };
  const period = { from: read('from'), to: read('to') };
  if (problems.length > 0) throw invalidRequest('chat', problems);
  return period;
}
