// Publishes to a broker as fast as possible in a separate process. Standard input: PublishRequest as JSON. Standard output: events per
// second.
import { ingestRequests } from '../../load/requests.ts';
import { jetStreamPublisher } from './jetstream.ts';
import { kafkaPublisher } from './kafka.ts';
import { type Batch, batchOf } from './publisher.ts';
import type { PublishRequest } from './spawn.ts';

const input: Buffer[] = [];
for await (const chunk of process.stdin) input.push(chunk as Buffer);
const request = JSON.parse(Buffer.concat(input).toString()) as PublishRequest;
const { to, connections, events, eventBytes, duplicates } = request;
const publisher = await (to.system === 'kafka' ? kafkaPublisher(to) : jetStreamPublisher(to));
const opened = await Promise.all(Array.from({ length: connections }, () => publisher.open()));

const startedAt = performance.now();
const end = startedAt + request.seconds * 1000;
let published = 0;
await Promise.all(opened.map(keepPublishing));
const seconds = (performance.now() - startedAt) / 1000;
await publisher.close();
process.stdout.write(String(published / seconds));

async function keepPublishing(publish: (batch: Batch) => Promise<void>): Promise<void> {
  const next = ingestRequests({ path: '/', authorization: '' }, events, eventBytes, duplicates);
  while (performance.now() < end) {
    const bytes = next();
    await publish(batchOf(bytes.subarray(bytes.indexOf('\r\n\r\n') + 4), events));
    published += events;
  }
}
