// Publishes to JetStream as fast as possible in a separate process. Standard input: PublishRequest as JSON. Standard output: PublishResult
// as JSON.
import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { ingestRequests } from '../load/requests.ts';

export interface PublishRequest {
  readonly url: string;
  readonly subject: string;
  /** `event`: one message per event, deduplicated by the server. `batch`: one message per batch. */
  readonly message: 'event' | 'batch';
  /** Number of batches in flight. */
  readonly connections: number;
  readonly seconds: number;
  readonly events: number;
  readonly eventBytes: number;
  readonly duplicates: number;
}

export interface PublishResult {
  readonly eventsPerSecond: number;
}

const ID_AT = '{"specversion":"1.0","id":"'.length;

const input: Buffer[] = [];
for await (const chunk of process.stdin) input.push(chunk as Buffer);
const request = JSON.parse(Buffer.concat(input).toString()) as PublishRequest;
const { subject, message, events, eventBytes, duplicates } = request;
const connection = await connect({ servers: request.url, noAsyncTraces: true });
const stream = jetstream(connection, { timeout: 60_000 });

const startedAt = performance.now();
const end = startedAt + request.seconds * 1000;
let published = 0;
await Promise.all(Array.from({ length: request.connections }, keepPublishing));
const seconds = (performance.now() - startedAt) / 1000;
await connection.close();
const result: PublishResult = { eventsPerSecond: published / seconds };
process.stdout.write(JSON.stringify(result));

async function keepPublishing(): Promise<void> {
  const next = ingestRequests({ path: '/', authorization: '' }, events, eventBytes, duplicates);
  while (performance.now() < end) {
    const bytes = next();
    const body = bytes.subarray(bytes.indexOf('\r\n\r\n') + 4);
    if (message === 'batch') await stream.publish(subject, Uint8Array.from(body));
    else await Promise.all(eventsOf(body).map((text) => publishEvent(text)));
    published += events;
  }
}

function eventsOf(body: Buffer): string[] {
  const inner = body.toString('latin1').slice('{"events":['.length, -2);
  return inner.split(/(?<=\}\}),(?=\{"specversion")/);
}

async function publishEvent(text: string): Promise<void> {
  await stream.publish(subject, text, { msgID: text.slice(ID_AT, ID_AT + 36) });
}
