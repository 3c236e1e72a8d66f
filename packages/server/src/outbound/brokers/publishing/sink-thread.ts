import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import type { EventSink, Outcome } from '../event-sink.ts';
import {
  type Broker,
  type ClonedOutcomes,
  EXIT_OUT_OF_MEMORY,
  type SinkRequest,
  type SinkResponse,
} from './threaded-sink.ts';

/*
 * Worker thread of one sink. The thread isolates the process from exceptions and output of the client library and
 * keeps publishing off the event loop that serves requests.
 */
const NICE = 10;
/** Maximum size of the buffers of this thread. Publishing needs a fraction of it. */
const MAX_BUFFER_BYTES = 256 * 1024 * 1024;
const CHECK_EVERY_MS = 100;
const port = parentPort;
if (port === null) throw new Error('this file runs as a worker thread');
lowerPriority();
// The client libraries buffer everything that a server sends, without a limit.
setInterval(() => {
  if (getHeapStatistics().external_memory > MAX_BUFFER_BYTES) process.exit(EXIT_OUT_OF_MEMORY);
}, CHECK_EVERY_MS).unref();
const opening = open(workerData as Broker);

port.on('message', async (request: SinkRequest) => {
  const sink = await opening;
  if (request === 'close') {
    await sink.close();
    port.close();
    return;
  }
  const outcomes = await sink.publish(request.spaceId, request.texts);
  port.postMessage({ id: request.id, outcomes: toCloned(outcomes) } satisfies SinkResponse);
});

function toCloned(outcomes: readonly Outcome[]): ClonedOutcomes {
  if (outcomes.every((outcome) => outcome === 'published')) return 'published';
  return outcomes.map((outcome) =>
    typeof outcome === 'string' ? outcome : { reason: outcome.reason, message: outcome.message },
  );
}

async function open(broker: Broker): Promise<EventSink> {
  if (broker.kind === 'nats') {
    const { createNatsSink } = await import('../nats/index.ts');
    return createNatsSink(broker.options);
  }
  const { createKafkaSink } = await import('../kafka/index.ts');
  return createKafkaSink(broker.options);
}

/** Lowers the priority of this thread because serving requests is more urgent than publishing. Works only on Linux. */
function lowerPriority(): void {
  try {
    // <process>/task/<thread>
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), NICE);
  } catch {}
}
