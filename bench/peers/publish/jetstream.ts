import { type JetStreamClient, jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import type { Publisher } from './publisher.ts';

export interface JetStreamTarget {
  readonly system: 'jetstream';
  readonly url: string;
  readonly subject: string;
  /**
   * `event`: one message per event, deduplicated by the server. `atomic`: the same messages as one atomic batch, without deduplication.
   * `batch`: one message per batch.
   */
  readonly message: 'event' | 'atomic' | 'batch';
}

const ID_AT = '{"specversion":"1.0","id":"'.length;
const ID_LENGTH = 36;

/** Publishes all batches over one connection, which the protocol multiplexes. */
export async function jetStreamPublisher(target: JetStreamTarget): Promise<Publisher> {
  const { url, subject, message } = target;
  const connection = await connect({ servers: url, noAsyncTraces: true });
  const stream = jetstream(connection, { timeout: 60_000 });

  return {
    open: async () => async (batch) => {
      if (message === 'batch') await stream.publish(subject, batch.body);
      else if (message === 'atomic') await publishAtomically(stream, subject, batch.events);
      else await Promise.all(batch.events.map((event) => publishEvent(event)));
    },
    close: () => connection.close(),
  };

  async function publishEvent(event: Buffer): Promise<void> {
    const msgID = event.toString('latin1', ID_AT, ID_AT + ID_LENGTH);
    await stream.publish(subject, event, { msgID });
  }
}

async function publishAtomically(
  stream: JetStreamClient,
  subject: string,
  events: readonly Buffer[],
): Promise<void> {
  const [first, ...others] = events;
  const last = others.pop();
  if (last === undefined) {
    await stream.publish(subject, first);
    return;
  }
  const batch = await stream.startBatch(subject, first);
  for (const event of others) batch.add(subject, event);
  await batch.commit(subject, last);
}
