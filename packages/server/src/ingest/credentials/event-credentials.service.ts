import type { Access, KeyCaller } from '../../identity/index.ts';
import type { EventAuth, ReadEvent } from '../formats/read-event.rules.ts';
import type { Judgement, Refusal } from './judgement.ts';
import type { Proofs } from './proofs.service.ts';

/** Judges the credentials in the body of one request. */
export interface Judge {
  /** `auth` beside `events`: it must be accepted for every event that can be judged. */
  request(auth: EventAuth, events: readonly ReadEvent[]): Promise<Judgement>;
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
export function createJudge(
  access: Access,
  proofs: Proofs,
  wantedSpaceId: string | undefined,
): Judge {
  const asked = new Map<string, Promise<KeyCaller | null>>();
  const wanted = wantedSpaceId?.toLowerCase();

  async function judgeKey(apiKey: string): Promise<Judgement> {
    const key = await find(apiKey);
    if (key === null) return unproven('auth.apiKey: is unknown, expired or revoked');
    if (!key.scopes.has('events:write'))
      return forbidden('auth.apiKey: does not have the scope events:write');
    if (wanted !== undefined && wanted !== key.spaceId)
      return forbidden('auth.apiKey: belongs to another space than ?spaceId=');
    const { spaceId, keyId } = key;
    const writesKnowledge = key.scopes.has('knowledge:write');
    return { accepted: true, spaceId, keyId, signed: false, writesKnowledge };
  }

  function find(text: string): Promise<KeyCaller | null> {
    const answer = asked.get(text) ?? access.key(text);
    asked.set(text, answer);
    return answer;
  }

  return {
    request: async (auth, events) => {
      if (auth.apiKey !== undefined) return judgeKey(auth.apiKey);
      if (auth.signature === undefined) return unproven(NO_MEMBER);
      let first: Judgement | undefined;
      for (const event of events) {
        // One without a source is refused for that, and stands for nobody.
        if (event.source === null) continue;
        const judgement = await proofs.byAuth(event, auth);
        if (!judgement.accepted) return atEvent(event, judgement);
        first ??= judgement;
        if (first.accepted && first.spaceId !== judgement.spaceId)
          return unproven('auth.signature: proves events of several spaces; add ?spaceId=');
      }
      return first ?? unproven('auth.signature: proves nothing without an event and its source');
    },
    event: async (event) => {
      const { auth, problems } = event;
      if (auth === null)
        return unproven(problems.find((problem) => UNREADABLE.test(problem)) ?? ABSENT);
      if (auth.apiKey !== undefined) return judgeKey(auth.apiKey);
      return auth.signature === undefined ? unproven(NO_MEMBER) : proofs.byAuth(event, auth);
    },
  };
}

const NO_MEMBER = 'auth.apiKey: is required, or auth.signature and auth.timestamp';

function atEvent({ index }: ReadEvent, { problem, ...refusal }: Refusal): Refusal {
  return { ...refusal, problem: `${problem} (events[${index}])` };
}

function unproven(problem: string): Refusal {
  return { accepted: false, reason: 'unproven', problem };
}

function forbidden(problem: string): Refusal {
  return { accepted: false, reason: 'forbidden', problem };
}
