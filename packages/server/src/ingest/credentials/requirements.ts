import type { ReadEvent } from '../formats/read-event.rules.ts';
import type { Registry, SpaceSources } from '../sources/index.ts';
import type { Authorisation } from './authorisation.ts';
import type { Proofs } from './proofs.service.ts';

/**
 * Rejects events without a valid signature if their source requires one. An event that was accepted by an API key
 * or a session still passes if the request also contains a valid signature for this event.
 */
export async function rejectUnsigned(
  registry: Registry,
  proofs: Proofs,
  events: readonly ReadEvent[],
  authorisations: readonly Authorisation[],
): Promise<readonly Authorisation[]> {
  const spaces = new Map<string, SpaceSources>();
  let before: Authorisation | undefined;
  for (const authorisation of authorisations) {
    // Usually all events share one authorisation object.
    if (authorisation === before) continue;
    before = authorisation;
    if (!authorisation.accepted || authorisation.signed || spaces.has(authorisation.spaceId))
      continue;
    spaces.set(authorisation.spaceId, await registry.inSpace(authorisation.spaceId));
  }
  if (![...spaces.values()].some((space) => space.anyRequiresSignature)) return authorisations;
  return authorisations.map((authorisation, index): Authorisation => {
    const event = events[index] as ReadEvent;
    if (!authorisation.accepted || authorisation.signed || event.source === null)
      return authorisation;
    const source = spaces.get(authorisation.spaceId)?.covering(event.source);
    if (source == null || !source.signatureRequired) return authorisation;
    const problem = proofs.faultOf(event, source);
    return problem === null
      ? authorisation
      : { accepted: false, reason: 'unproven', problem, known: authorisation };
  });
}

const KEY = 'type: events of this type change documents; the key needs the scope knowledge:write';
const SOURCE =
  'type: events of this type change documents; the event source needs feedsKnowledge: true';

/** Rejects events that change documents if their credential does not permit changes to documents. */
export async function rejectUnlessMayWriteKnowledge(
  registry: Registry,
  events: readonly ReadEvent[],
  authorisations: readonly Authorisation[],
): Promise<readonly Authorisation[]> {
  if (!events.some((event) => event.valid && event.feedsKnowledge)) return authorisations;
  return Promise.all(
    authorisations.map(async (authorisation, index): Promise<Authorisation> => {
      const event = events[index] as ReadEvent;
      if (!authorisation.accepted || !event.valid || !event.feedsKnowledge) return authorisation;
      if (!authorisation.signed)
        return authorisation.writesKnowledge
          ? authorisation
          : { ...FORBIDDEN, problem: KEY, known: authorisation };
      const source = (await registry.inSpace(authorisation.spaceId)).covering(event.source);
      return source?.feedsKnowledge === true
        ? authorisation
        : { ...FORBIDDEN, problem: SOURCE, known: authorisation };
    }),
  );
}

const FORBIDDEN = { accepted: false, reason: 'forbidden' } as const;
