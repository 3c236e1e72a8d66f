import { nameHint } from '@gatehouse/contract';
import { shownName } from '../../lib/json/index.ts';

/** A credential in the body. It is never stored, logged or forwarded. */
export interface EventAuth {
  readonly apiKey?: string;
  readonly signature?: string;
  readonly timestamp?: string;
}

declare const checked: unique symbol;

/**
 * An event of a request. Its text is the range from `start` to `end` of the batch's bytes. The range from `cutStart` to
 * `cutEnd` is its `auth` member with one adjacent comma. Both offsets equal `end` if the event has no `auth`.
 */
interface EventInBatch {
  /** Zero-based position in the request. */
  readonly index: number;
  /** `null` if the event has no `auth` or a malformed one. */
  readonly auth: EventAuth | null;
  /** Each problem starts with the path of its member (`time: must be …`). */
  readonly problems: readonly string[];
  readonly start: number;
  readonly end: number;
  readonly cutStart: number;
  readonly cutEnd: number;
}

/** An event that follows the rules of its format. Only `batch.rules.ts` creates values of this type. */
export interface ValidEvent extends EventInBatch {
  readonly [checked]: true;
  readonly valid: true;
  readonly id: string;
  readonly source: string;
  readonly type: string;
  /** `true` if the event changes documents. */
  readonly feedsKnowledge: boolean;
}

export interface InvalidEvent extends EventInBatch {
  readonly valid: false;
  /** `id` and `source` are `null` if they are not strings or the event is nested too deeply. */
  readonly id: string | null;
  readonly source: string | null;
}

export type ReadEvent = ValidEvent | InvalidEvent;

export interface IngestBatch {
  /** The bytes to which the events' offsets refer. They must not change before the events are packed. */
  readonly bytes: Uint8Array;
  readonly auth: EventAuth | null;
  readonly events: readonly ReadEvent[];
}

const MEMBERS = ['apiKey', 'signature', 'timestamp'];
const MAX_PROBLEMS = 100;

/**
 * Returns at most 100 problems of an `auth` member, which may contain only the optional strings `apiKey`,
 * `signature` and `timestamp`. Each problem starts with its path. No problem contains a value.
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
      problems.push(`auth.${shownName(name)}: unknown member${nameHint(name, MEMBERS)}`);
    } else if (typeof members[name] !== 'string') {
      problems.push(`auth.${name}: must be a string`);
    }
  }
  return problems;
}

/** @param auth a value for which `authProblems` returns no problems. */
export function toEventAuth(auth: unknown): EventAuth {
  return auth as EventAuth;
}
