import type { Access, KeyCaller } from '../access/index.ts';
import type { EventAuth, ReadEvent } from './read-event.rules.ts';

/** Whether one credential in a body is accepted: the space it writes to, or what is wrong with it. */
export type Judgement = { readonly accepted: true; readonly spaceId: string } | Refusal;

export interface Refusal {
  readonly accepted: false;
  /** `unproven`: nobody knows who sends this. `forbidden`: a live key, without the right. */
  readonly reason: 'unproven' | 'forbidden';
  /** Begins with the path in the event, or in the body. */
  readonly problem: string;
}

/** Judges the credentials in the body of one request. */
export interface Judge {
  /** `auth` beside `events`. */
  request(auth: EventAuth): Promise<Judgement>;
  /** An event by its own `auth`. */
  event(event: ReadEvent): Promise<Judgement>;
}

const ABSENT = 'auth: is required, when the request has no other credential';
/** Problems of an event that keep its `auth` from being read. */
const UNREADABLE = /^(?:auth[.:]|event: must be an object$)/;

/**
 * The same key is looked up once, however many events carry it.
 *
 * @param wantedSpaceId the space that the request names itself, which the key must belong to.
 */
export function createJudge(access: Access, wantedSpaceId: string | undefined): Judge {
  const asked = new Map<string, Promise<KeyCaller | null>>();
  const wanted = wantedSpaceId?.toLowerCase();

  async function judge({ apiKey, signature }: EventAuth): Promise<Judgement> {
    if (apiKey === undefined) {
      return signature === undefined
        ? unproven('auth.apiKey: is required')
        : unproven('auth.signature: this release does not verify signatures; send auth.apiKey');
    }
    const key = await find(apiKey);
    if (key === null) return unproven('auth.apiKey: is unknown, expired or revoked');
    if (!key.scopes.has('events:write'))
      return forbidden('auth.apiKey: does not have the scope events:write');
    if (wanted !== undefined && wanted !== key.spaceId)
      return forbidden('auth.apiKey: belongs to another space than ?spaceId=');
    return { accepted: true, spaceId: key.spaceId };
  }

  function find(text: string): Promise<KeyCaller | null> {
    const answer = asked.get(text) ?? access.key(text);
    asked.set(text, answer);
    return answer;
  }

  return {
    request: judge,
    event: async ({ auth, problems }) => {
      if (auth !== null) return judge(auth);
      return unproven(problems.find((problem) => UNREADABLE.test(problem)) ?? ABSENT);
    },
  };
}

function unproven(problem: string): Refusal {
  return { accepted: false, reason: 'unproven', problem };
}

function forbidden(problem: string): Refusal {
  return { accepted: false, reason: 'forbidden', problem };
}
