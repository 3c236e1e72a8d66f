import { type Client, clientOf } from '../http/client.ts';
import { makeKey, makeSpace, signIn } from '../provision.ts';
import { idsOf, ingest, makeEvents } from './events.ts';

/** A key of a new space, and the events that a test has sent with it. */
export interface Sender {
  readonly key: string;
  /** The IDs of the sent events by subject, in order. */
  readonly sent: ReadonlyMap<string, readonly string[]>;
  send(url: string, subject: string, count: number): Promise<void>;
}

export async function createSender(client: Client): Promise<Sender> {
  const session = await signIn(client);
  const key = await makeKey(client, session, (await makeSpace(client, session)).id);
  const sent = new Map<string, string[]>();
  return {
    key,
    sent,
    send: async (url, subject, count) => {
      const events = makeEvents(count, { subject });
      await ingest(clientOf(url), { as: key, body: { events } });
      sent.set(subject, [...(sent.get(subject) ?? []), ...idsOf(events)]);
    },
  };
}
