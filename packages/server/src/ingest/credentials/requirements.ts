import type { ReadEvent } from '../formats/read-event.rules.ts';
import type { Registry, SpaceSources } from '../sources/index.ts';
import type { Judgement } from './judgement.ts';
import type { Proofs } from './proofs.service.ts';

/**
 * Rejects events without a valid signature if their source requires one. An event that was accepted by an API key
 * or a session still passes if the request also contains a valid signature for this event.
 */
export async function refuseUnsigned(
  registry: Registry,
  proofs: Proofs,
  events: readonly ReadEvent[],
  judgements: readonly Judgement[],
): Promise<readonly Judgement[]> {
  const spaces = new Map<string, SpaceSources>();
  let before: Judgement | undefined;
  for (const judgement of judgements) {
    // Usually all events share one judgement object.
    if (judgement === before) continue;
    before = judgement;
    if (!judgement.accepted || judgement.signed || spaces.has(judgement.spaceId)) continue;
    spaces.set(judgement.spaceId, await registry.inSpace(judgement.spaceId));
  }
  if (![...spaces.values()].some((space) => space.anyRequiresSignature)) return judgements;
  return judgements.map((judgement, index): Judgement => {
    const event = events[index] as ReadEvent;
    if (!judgement.accepted || judgement.signed || event.source === null) return judgement;
    const source = spaces.get(judgement.spaceId)?.covering(event.source);
    if (source == null || !source.signatureRequired) return judgement;
    const problem = proofs.faultOf(event, source);
    return problem === null
      ? judgement
      : { accepted: false, reason: 'unproven', problem, known: judgement };
  });
}

const KEY = 'type: events of this type change documents; the key needs the scope knowledge:write';
const SOURCE =
  'type: events of this type change documents; the event source needs feedsKnowledge: true';

/** Rejects events that change documents if their credential does not permit changes to documents. */
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
        return judgement.writesKnowledge
          ? judgement
          : { ...FORBIDDEN, problem: KEY, known: judgement };
      const source = (await registry.inSpace(judgement.spaceId)).covering(event.source);
      return source?.feedsKnowledge === true
        ? judgement
        : { ...FORBIDDEN, problem: SOURCE, known: judgement };
    }),
  );
}

const FORBIDDEN = { accepted: false, reason: 'forbidden' } as const;
