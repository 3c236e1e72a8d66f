import type { Access, KeyCaller } from '../access/index.ts';
import type { EventAuth, ReadEvent } from './read-event.rules.ts';

/** Whether one credential in a body is accepted: the space it writes to, or what is wrong with it. */
export type Judgement =
  | { readonly accepted: true; readonly spaceId: string }
  | { readonly accepted: false; readonly problem: string };

/**
 * Judges the `auth` of one request: of each event, or beside `events`. The same key is looked up
 * once, however many events carry it.
 *
 * @param wantedSpaceId the space that the request names itself, which the key must belong to.
 */
export function createJudge(access: Access, wantedSpaceId: string | undefined) {
  const known = new Map<string, Promise<KeyCaller | null>>();

  async function judge(auth: EventAuth | null): Promise<Judgement> {
    if (auth === null) return refuse('auth: is required, when the request has no other credential');
    if (auth.apiKey === undefined) {
      return auth.signature === undefined
        ? refuse('auth.apiKey: is required')
        : refuse('auth.signature: this release does not verify signatures; send auth.apiKey');
    }
    const key = await find(auth.apiKey);
    if (key === null) return refuse('auth.apiKey: is unknown, expired or revoked');
    if (!key.scopes.has('events:write'))
      return refuse('auth.apiKey: does not have the scope events:write');
    if (wantedSpaceId !== undefined && wantedSpaceId.toLowerCase() !== key.spaceId)
      return refuse('auth.apiKey: belongs to another space than ?spaceId=');
    return { accepted: true, spaceId: key.spaceId };
  }

  function find(text: string): Promise<KeyCaller | null> {
    const asked = known.get(text) ?? access.key(text);
    known.set(text, asked);
    return asked;
  }

  return {
    judge,
    judgeEach: (events: readonly ReadEvent[]): Promise<Judgement[]> =>
      Promise.all(events.map((event) => judge(event.auth))),
  };
}

function refuse(problem: string): Judgement {
  return { accepted: false, problem };
}
