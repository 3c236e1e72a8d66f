import type { Access, KeyCaller } from '../../identity/index.ts';
import type { EventAuth, ReadEvent } from '../formats/read-event.rules.ts';
import { type Judgement, type Refusal, unproven } from './judgement.ts';
import type { Proofs } from './proofs.service.ts';

export interface Judge {
  /** Checks the `auth` member of the request. A signature must be valid for every event that has a source. */
  request(auth: EventAuth, events: readonly ReadEvent[]): Promise<Judgement>;
  event(event: ReadEvent): Promise<Judgement>;
}

const ABSENT = 'auth: is required when the request has no other credential';
/** Matches problems that make an event's `auth` unreadable. */
const UNREADABLE = /^(?:auth[.:]|event: must be an object$)/;

/**
 * Creates a judge for one request. The judge looks up each API key at most once.
 *
 * @param requestedSpaceId the space in `?spaceId=`. Keys of other spaces are rejected.
 */
export function createJudge(
  access: Access,
  proofs: Proofs,
  requestedSpaceId: string | undefined,
): Judge {
  const lookups = new Map<string, Promise<KeyCaller | null>>();
  const requested = requestedSpaceId?.toLowerCase();

  async function judgeKey(apiKey: string): Promise<Judgement> {
    const key = await find(apiKey);
    if (key === null) return unproven('auth.apiKey: is unknown, expired or revoked');
    const { spaceId, keyId } = key;
    const known = { spaceId, keyId };
    if (!key.scopes.has('events:write'))
      return { ...forbidden('auth.apiKey: does not have the scope events:write'), known };
    if (requested !== undefined && requested !== spaceId)
      return {
        ...forbidden('auth.apiKey: belongs to a different space than ?spaceId='),
        known,
      };
    const writesKnowledge = key.scopes.has('knowledge:write');
    return { accepted: true, spaceId, keyId, signed: false, writesKnowledge };
  }

  function find(text: string): Promise<KeyCaller | null> {
    const answer = lookups.get(text) ?? access.key(text);
    lookups.set(text, answer);
    return answer;
  }

  return {
    request: async (auth, events) => {
      if (auth.apiKey !== undefined) return judgeKey(auth.apiKey);
      if (auth.signature === undefined) return unproven(NO_MEMBER);
      let first: Judgement | undefined;
      for (const event of events) {
        // An event without a source is invalid and does not identify the sender.
        if (event.source === null) continue;
        const judgement = await proofs.byAuth(event, auth);
        if (!judgement.accepted) return atEvent(event, judgement);
        first ??= judgement;
        if (first.accepted && first.spaceId !== judgement.spaceId)
          return unproven('auth.signature: matches several spaces; add ?spaceId=');
      }
      return first ?? unproven('auth.signature: requires at least one event with a source');
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

const NO_MEMBER = 'auth.apiKey: is required unless auth.signature and auth.timestamp are given';

function atEvent({ index }: ReadEvent, { problem, ...refusal }: Refusal): Refusal {
  return { ...refusal, problem: `${problem} (events[${index}])` };
}

function forbidden(problem: string): Refusal {
  return { accepted: false, reason: 'forbidden', problem };
}
