import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { describe, test } from 'node:test';
import { FULL, roundsOf, SEED } from '../../../packages/filter/tests/campaign.ts';
import { seeded } from '../../../packages/server/tests/support/seeded.ts';
import { fuzz } from './campaign.ts';
import { runTarget } from './run-target.ts';
import { hiddenFault } from './targets/hidden-fault.ts';
import { TARGETS } from './targets/index.ts';

/** Number of inputs of a target with share 1. All targets together get ten million. */
const INPUTS = roundsOf(1000, 2_930_000);
/** Number of inputs in `npm test` of all targets except the one that the seed chooses. */
const FEW = 20;
const INPUTS_TO_HIDDEN_FAULT = 100_000;
const SEED_OF_HIDDEN_FAULT = 3;

const chosen = seeded(SEED).pick(TARGETS);

describe('random inputs', { concurrency: availableParallelism() }, () => {
  for (const target of TARGETS) {
    const { name, share = 1 } = target;
    test(`do not make the parser of ${name} break a promise`, async (t) => {
      const inputs = FULL || target === chosen ? Math.ceil(INPUTS * share) : FEW;
      const { findings, seconds, memory, corpus } = await runTarget(name, inputs, SEED);
      t.diagnostic(
        `seed ${SEED}: ${inputs} inputs in ${seconds.toFixed(0)} s, corpus of ${corpus}, ${memory.join(', ')} MB`,
      );
      for (const { input, problem } of findings)
        assert.fail(`${problem}\ninput: ${JSON.stringify(input)}`);
    });
  }
});

test('coverage leads to a fault that random inputs do not find', async () => {
  const guided = await runTarget(hiddenFault.name, INPUTS_TO_HIDDEN_FAULT, SEED_OF_HIDDEN_FAULT);
  assert.match(guided.findings[0]?.problem ?? '', /the hidden fault/);
  const blind = await fuzz(
    { ...hiddenFault, sources: [] },
    INPUTS_TO_HIDDEN_FAULT,
    SEED_OF_HIDDEN_FAULT,
  );
  assert.deepEqual(blind.findings, []);
});

test('an input that takes too much CPU time is a finding', async () => {
  const check = () => {
    const before = process.threadCpuUsage();
    while (process.threadCpuUsage(before).user < 60_000);
  };
  const { findings } = await fuzz({ ...hiddenFault, check }, 0, 1, 50);
  assert.match(findings[0]?.problem ?? '', /^takes \d+ ms of CPU time$/);
});
