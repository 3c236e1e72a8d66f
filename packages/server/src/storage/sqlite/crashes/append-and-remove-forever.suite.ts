// A program for a test: appends batches from several clients at once and removes all but the newest meanwhile; prints
// each batch's name once the store has acknowledged it, until it is killed.
import { batchOf } from '../../ports/event-batch.suite.ts';
import { openStore } from '../open-store.suite.ts';
import { EVENTS_PER_BATCH, eventsOfBatch } from './kill-names.suite.ts';

const CLIENTS = 4;
const KEPT = 20 * EVENTS_PER_BATCH;
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
    await events.removeSome(spaceId, (await events.newest(spaceId)) - KEPT);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

await Promise.all([remove(), ...Array.from({ length: CLIENTS }, (_, number) => client(number))]);
