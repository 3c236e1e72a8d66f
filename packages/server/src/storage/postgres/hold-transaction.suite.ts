// Test program that acquires a job and then waits in a fenced transaction, until the test suspends and resumes the program.
import { setTimeout as sleep } from 'node:timers/promises';
import { newJob, noted } from '../ports/leases.suite.ts';
import { inTransaction, runWrites } from '../ports/transactions.ts';
import { openStore } from './open-store.suite.ts';

const [, , url = ''] = process.argv;
const store = await openStore(url, { onError: () => {} });
const job = noted(store.leases, newJob(), []);
await job.start();
const fence = job.work?.term.fence ?? [];
const outcome = await inTransaction(store.db, async (trx) => {
  await trx
    .insertInto('spaces')
    .values({ id: 'a', name: 'of the suspended replica', created_at: 1 })
    .execute();
  await runWrites(trx, fence);
  process.stdout.write('inside\n');
  // The test suspends this process now.
  await sleep(1000);
}).then(
  () => 'committed',
  (error: Error) => error.name,
);
process.stdout.write(`${outcome}\n`);
process.exit();
