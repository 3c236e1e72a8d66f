import { type EventBatch, identityOf } from './event-store.ts';

/** Returns events of the service itself as a batch for the event log of a space. Their source is `target.source`. */
export function toEventBatch(
  events: readonly { readonly id: string }[],
  target: { readonly spaceId: string; readonly source: string; readonly receivedAt: number },
): EventBatch {
  const { spaceId, source, receivedAt } = target;
  const texts = events.map((event) => Buffer.from(JSON.stringify(event)));
  let end = 0;
  return {
    spaceId,
    receivedAt,
    texts: new Uint8Array(Buffer.concat(texts)),
    ends: Uint32Array.from(texts, ({ byteLength }) => {
      end += byteLength;
      return end;
    }),
    identities: events.map(({ id }) => identityOf(spaceId, source, id)).join(''),
  };
}
