import type { ReadEvent } from '../formats/read-event.rules.ts';
import type { Registry } from '../sources/index.ts';
import type { Judgement } from './judgement.ts';

const KEY = 'type: events of this type change documents; the key needs the scope knowledge:write';
const SOURCE =
  'type: events of this type change documents; the event source needs feedsKnowledge: true';

/**
 * Refuses events that would change documents where what proves their sender gives the right to send
 * events alone. Other events cost a look each.
 */
export async function refuseUnlessMayWriteKnowledge(
  registry: Registry,
  events: readonly ReadEvent[],
  judgements: readonly Judgement[],
): Promise<readonly Judgement[]> {
  if (!events.some((event) => event.valid && event.feedsKnowledge)) return judgements;
  return Promise.all(
    judgements.map(async (judgement, index): Promise<Judgement> => {
      const event = events[index] as ReadEvent;
      if (!judgement.accepted || !event.valid || !event.feedsKnowledge) return judgement;
      if (!judgement.signed)
        return judgement.writesKnowledge ? judgement : { ...FORBIDDEN, problem: KEY };
      const source = (await registry.inSpace(judgement.spaceId)).covering(event.source);
      return source?.feedsKnowledge === true ? judgement : { ...FORBIDDEN, problem: SOURCE };
    }),
  );
}

const FORBIDDEN = { accepted: false, reason: 'forbidden' } as const;
