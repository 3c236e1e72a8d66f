import { parentPort, workerData } from 'node:worker_threads';
import type { EventSink, Outcome } from '../event-sink.ts';
import { goBehindOthers } from './go-behind.ts';
import type { Broker, SentOutcomes, SinkOrder, SinkReply } from './messages.ts';

/*
 * A client library and its sockets, by themselves: what one throws where nobody can catch it, or prints, must not
 * reach the process, and publishing is no work for the event loop that answers requests.
 */
const port = parentPort;
if (port === null) throw new Error('this file runs as a worker thread');
goBehindOthers();
const opening = open(workerData as Broker);

port.on('message', async (order: SinkOrder) => {
  const sink = await opening;
  if (order === 'close') {
    await sink.close();
    port.close();
    return;
  }
  const outcomes = await sink.publish(order.spaceId, order.texts);
  port.postMessage({ id: order.id, outcomes: toSent(outcomes) } satisfies SinkReply);
});

function toSent(outcomes: readonly Outcome[]): SentOutcomes {
  if (outcomes.every((outcome) => outcome === 'published')) return 'published';
  return outcomes.map((outcome) =>
    typeof outcome === 'string' ? outcome : { reason: outcome.reason, message: outcome.message },
  );
}

/** Loads one library alone. */
async function open(broker: Broker): Promise<EventSink> {
  if (broker.kind === 'nats') {
    const { createNatsSink } = await import('../nats/index.ts');
    return createNatsSink(broker.options);
  }
  const { createKafkaSink } = await import('../kafka/index.ts');
  return createKafkaSink(broker.options);
}
