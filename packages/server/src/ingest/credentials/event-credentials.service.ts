import type { Access, KeyCaller } from '../../identity/index.ts';
import type { EventAuth, ReadEvent } from '../formats/read-event.rules.ts';
import { type Authorisation, type Rejection, unproven } from './authorisation.ts';
import type { Proofs } from './proofs.service.ts';

export interface EventCredentials {
  /** Checks the `auth` member of the request. A signature must be valid for every event that has a source. */
  request(auth: EventAuth, events: readonly ReadEvent[]): Promise<Authorisation>;
  event(event: ReadEvent): Promise<Authorisation>;
}

const ABSENT = 'auth: is required when the request has no other credential';
/** Matches problems that make an event's `auth` unreadable. */
const UNREADABLE = /^(?:auth[.:]|event: must be an object$)/;

/**
 * Creates the check of the credentials in the body of one request. It looks up each API key at most once.
 *
 * @param requestedSpaceId the space in `?spaceId=`. Keys of other spaces are rejected.
 */
export function createEventCredentials(
  access: Access,
  proofs: Proofs,
  requestedSpaceId: string | undefined,
): EventCredentials {
  const lookups = new Map<string, Promise<KeyCaller | null>>();
  const requested = requestedSpaceId?.toLowerCase();

  async function authoriseKey(apiKey: string): Promise<Authorisation> {
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
      if (auth.apiKey !== undefined) return authoriseKey(auth.apiKey);
      if (auth.signature === undefined) return unproven(NO_MEMBER);
      let first: Authorisation | undefined;
      for (const event of events) {
        // An event without a source is invalid and does not identify the sender.
        if (event.source === null) continue;
        const authorisation = await proofs.byAuth(event, auth);
        if (!authorisation.accepted) return atEvent(event, authorisation);
        first ??= authorisation;
        if (first.accepted && first.spaceId !== authorisation.spaceId)
          return unproven('auth.signature: matches several spaces; add ?spaceId=');
      }
      return first ?? unproven('auth.signature: requires at least one event with a source');
    },
    event: async (event) => {
      const { auth, problems } = event;
      if (auth === null)
        return unproven(problems.find((problem) => UNREADABLE.test(problem)) ?? ABSENT);
      if (auth.apiKey !== undefined) return authoriseKey(auth.apiKey);
      return auth.signature === undefined ? unproven(NO_MEMBER) : proofs.byAuth(event, auth);
    },
  };
}

const NO_MEMBER = 'auth.apiKey: is required unless auth.signature and auth.timestamp are given';

function atEvent({ index }: ReadEvent, { problem, ...rejection }: Rejection): Rejection {
  return { ...rejection, problem: `${problem} (events[${index}])` };
}

function forbidden(problem: string): Rejection {
  return { accepted: false, reason: 'forbidden', problem };
}
