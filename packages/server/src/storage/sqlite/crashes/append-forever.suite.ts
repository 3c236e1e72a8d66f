// Test program. Several clients append batches concurrently. Prints the name of each batch after it is acknowledged. Runs
// until it is killed.
import { batchOf } from '../../ports/event-batch.suite.ts';
import { openStore } from '../open-store.suite.ts';
import { eventsOfBatch } from './kill-names.suite.ts';

const CLIENTS = 8;
const [, , directory = '', spaceId = '', round = ''] = process.argv;
const store = await openStore(directory);

async function client(number: number): Promise<void> {
  for (let batch = 0; ; batch += 1) {
    const name = `${round}.${number}.${batch}`;
    await store.events.append([batchOf(spaceId, eventsOfBatch(name))]);
    process.stdout.write(`${name}\n`);
  }
}

await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
