import { ProduceAcks, Producer } from '@platformatic/kafka';
import type { Publisher } from './publisher.ts';

export interface KafkaTarget {
  readonly system: 'kafka';
  readonly brokers: readonly string[];
  readonly topic: string;
  /**
   * Records of a produce request. Each event is a record. `batch`: the events of one batch; each batch in flight has its own connection.
   * `merged`: the events of all waiting batches; there is one connection with one request in flight.
   */
  readonly request: 'batch' | 'merged';
}

/** Size of a merged request. A larger batch is sent in a request of its own. */
const MERGED_BYTES = 2 ** 20;
const TIMEOUT_MS = 60_000;

/** Publishes with `acks=all` and idempotent producers, which are the defaults of the Java client, to the first partition. */
export async function kafkaPublisher(target: KafkaTarget): Promise<Publisher> {
  const producers: Producer[] = [];
  const merged = target.request === 'merged' ? mergedSender(await openSender()) : null;
  return {
    open: async () => {
      const send = merged ?? (await openSender());
      return ({ events }) => send(events);
    },
    close: async () => {
      await Promise.all(producers.map((producer) => producer.close(true)));
    },
  };

  async function openSender(): Promise<Send> {
    const producer = new Producer({
      clientId: 'bench',
      bootstrapBrokers: [...target.brokers],
      acks: ProduceAcks.ALL,
      idempotent: true,
      autocreateTopics: false,
      requestTimeout: TIMEOUT_MS,
      timeout: TIMEOUT_MS,
    });
    producers.push(producer);
    await producer.metadata({ topics: [target.topic] });
    await producer.initIdempotentProducer({});
    return async (events) => {
      const { topic } = target;
      await producer.send({ messages: events.map((value) => ({ topic, partition: 0, value })) });
    };
  }
}

type Send = (events: readonly Buffer[]) => Promise<void>;

interface Waiting {
  readonly events: readonly Buffer[];
  readonly bytes: number;
  readonly sent: PromiseWithResolvers<void>;
}

/** Returns a function that sends the batches that wait for the request in flight together. */
function mergedSender(send: Send): Send {
  const waiting: Waiting[] = [];
  let isSending = false;

  async function sendWaiting(): Promise<void> {
    if (isSending) return;
    isSending = true;
    while (waiting.length > 0) {
      const batches = takeBatches(waiting);
      await send(batches.flatMap(({ events }) => events)).then(
        () => batches.forEach(({ sent }) => void sent.resolve()),
        (error: unknown) => batches.forEach(({ sent }) => void sent.reject(error)),
      );
    }
    isSending = false;
  }

  return (events) => {
    const sent = Promise.withResolvers<void>();
    const bytes = events.reduce((sum, event) => sum + event.length, 0);
    waiting.push({ events, bytes, sent });
    void sendWaiting();
    return sent.promise;
  };
}

function takeBatches(waiting: Waiting[]): Waiting[] {
  let bytes = 0;
  const end = waiting.findIndex((batch, index) => {
    bytes += batch.bytes;
    return index > 0 && bytes > MERGED_BYTES;
  });
  return waiting.splice(0, end === -1 ? waiting.length : end);
}
