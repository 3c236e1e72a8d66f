// Test program. Several clients append batches concurrently while old events are removed. Prints the name of each batch
// after it is acknowledged. Runs until it is killed.
import { batchOf } from '../../ports/event-batch.suite.ts';
import { openStore } from '../open-store.suite.ts';
import { EVENTS_PER_BATCH, eventsOfBatch } from './kill-names.suite.ts';

const CLIENTS = 4;
const RETAINED = 20 * EVENTS_PER_BATCH;
const [, , directory = '', spaceId = '', round = ''] = process.argv;
const { events } = await openStore(directory);

async function client(number: number): Promise<void> {
  for (let batch = 0; ; batch += 1) {
    const name = `${round}.${number}.${batch}`;
    await events.append([batchOf(spaceId, eventsOfBatch(name))]);
    process.stdout.write(`${name}\n`);
  }
}

async function remove(): Promise<void> {
  for (;;) {
    await events.removeUpTo(spaceId, (await events.newest(spaceId)) - RETAINED);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

await Promise.all([remove(), ...Array.from({ length: CLIENTS }, (_, number) => client(number))]);
