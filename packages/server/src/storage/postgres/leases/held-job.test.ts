import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobWork, Term } from '../../ports/leases.ts';
import { HeldJob } from './held-job.ts';
import { LEASE_MS } from './lease-table.ts';

function open() {
  const clock = { now: 1000 };
  const terms: Term[] = [];
  const stopped: Term[] = [];
  const job = new HeldJob<JobWork>('job', {
    startWork: async (term) => {
      terms.push(term);
      return {
        onHint: () => {},
        stop: async () => {
          stopped.push(term);
        },
      };
    },
    onStart: async () => {},
    onNotify: () => {},
    release: async () => {},
    onDisposed: () => {},
    onError: (error) => assert.fail(String(error)),
    now: () => clock.now,
  });
  return { clock, terms, stopped, job };
}

test('a renewal extends a term', async () => {
  const { clock, terms, job } = open();
  await job.gained({ name: 'job', epoch: 1 }, clock.now);
  clock.now += LEASE_MS - 1500;
  job.renewed(clock.now);
  clock.now += LEASE_MS - 1500;
  assert.equal(terms[0]?.isHeld(), true);
  await job[Symbol.asyncDispose]();
});

test('a renewal does not continue a term that has ended, because its work may have given up', async () => {
  const { clock, terms, stopped, job } = open();
  await job.gained({ name: 'job', epoch: 1 }, clock.now);
  const [term] = terms;
  const requestedAt = clock.now + 1000;
  clock.now += LEASE_MS;
  assert.equal(term?.isHeld(), false);
  job.renewed(requestedAt);
  assert.equal(term?.isHeld(), false);
  assert.equal(term?.signal.aborted, true);
  assert.equal(job.held, null);
  assert.deepEqual(stopped, [term]);

  await job.gained({ name: 'job', epoch: 2 }, clock.now);
  assert.equal(terms.length, 2);
  assert.equal(terms[1]?.isHeld(), true);
  await job[Symbol.asyncDispose]();
});
