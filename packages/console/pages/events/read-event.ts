import { type CloudEvent, Gatehouse } from '@gatehouse/client';
import { isShortened, shortened } from '../../components/shortened.ts';
import { eventTexts } from './event-texts.ts';

/** The beginning of the source and the ID of an event, and its time of receipt. */
export interface EventAddress {
  readonly at: string;
  readonly source: string;
  readonly id: string;
}

export interface ReceivedEvent {
  readonly event: CloudEvent;
  readonly receivedAt: string;
  /** Text exactly as it was received. */
  readonly text: string;
}

/** Finds an event, or returns null if the space does not store it. */
export async function readEvent(
  spaceId: string,
  { at, source, id }: EventAddress,
): Promise<ReceivedEvent | null> {
  const time = Date.parse(at);
  if (Number.isNaN(time)) return null;
  let body = '';
  const client = new Gatehouse({
    url: location.origin,
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      body = await response.clone().text();
      return response;
    },
  });
  const query = {
    order: 'newest',
    limit: 200,
    from: new Date(time).toISOString(),
    to: new Date(time + 1).toISOString(),
    ...(source === '' || isShortened(source) ? {} : { source }),
  } as const;
  for (let after: string | null = ''; after !== null; ) {
    const page = await client.events.list({ ...query, ...(after && { after }) }, { spaceId });
    const index = page.items.findIndex(
      ({ event }) => shortened(event.source) === source && shortened(event.id) === id,
    );
    const [item, text] = [page.items[index], eventTexts(body)[index]];
    if (item !== undefined && text !== undefined) return { ...item, text };
    after = page.next;
  }
  return null;
}
