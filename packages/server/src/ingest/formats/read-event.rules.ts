import { nearestName } from '@gatehouse/contract';
import { shownName } from '../../lib/json/index.ts';

/** The credential that a body carries; it is never stored, logged or sent on. */
export interface EventAuth {
  readonly apiKey?: string;
  readonly signature?: string;
  readonly timestamp?: string;
}

declare const checked: unique symbol;

/**
 * An event of a request. Its text is in the batch's bytes: from `start` to `end`, without what lies
 * from `cutStart` to `cutEnd`, which is its `auth` member with one neighbouring comma (nothing when
 * both are `end`).
 */
interface EventInBatch {
  /** Position in the request. */
  readonly index: number;
  /** The event's own credential; null when it has none, or a malformed one. */
  readonly auth: EventAuth | null;
  /** Every problem, each beginning with the member it is about (`time: must be …`). */
  readonly problems: readonly string[];
  readonly start: number;
  readonly end: number;
  readonly cutStart: number;
  readonly cutEnd: number;
}

/** An event that meets the rules of its format; only the reader of a batch makes one. */
export interface ValidEvent extends EventInBatch {
  readonly [checked]: true;
  readonly valid: true;
  readonly id: string;
  readonly source: string;
  readonly type: string;
  /** Whether it changes documents. */
  readonly feedsKnowledge: boolean;
}

export interface InvalidEvent extends EventInBatch {
  readonly valid: false;
  /** Null when they are no strings, or the event is nested too deeply to be looked at. */
  readonly id: string | null;
  readonly source: string | null;
}

export type ReadEvent = ValidEvent | InvalidEvent;

export interface IngestBatch {
  /** What the events' offsets are about; it must stay as it is until they are packed. */
  readonly bytes: Uint8Array;
  /** `auth` beside `events`. */
  readonly auth: EventAuth | null;
  /** One for each element of `events`, in request order. */
  readonly events: readonly ReadEvent[];
}

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
