import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operations } from '@gatehouse/contract';
import { ALLOW_RECEIVERS } from '../support/events/receiver.ts';
import { type Answer, type Client, clientOf } from '../support/http/client.ts';
import { contractClient } from '../support/http/contract-client.ts';
import type { ChildServer } from '../support/services/child-server.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { expireSession, makeWorld, type World } from './authorization/callers.ts';
import { CALLERS, type CallerName, readMatrix } from './authorization/matrix.ts';
import { missing, requestOf, type Targets } from './authorization/requests.ts';
import { type RowTargets, targetsOf } from './authorization/targets.ts';

// Widget sessions contain the base URL, so the base URL must be the same after the restart. Many users sign in at once.
const env = {
  ...ALLOW_RECEIVERS,
  GATEHOUSE_BASE_URL: 'https://gate.example',
  GATEHOUSE_RATE_LIMIT_SIGN_IN: '0',
};
const directory = temporaryDirectory();
const callers = Object.keys(CALLERS) as CallerName[];
const matrix = readMatrix();
let service: ChildServer | undefined;
let client: Client;
let world: World;

before(async () => {
  {
    await using first = await startService(directory.path, { env });
    world = await makeWorld(contractClient(clientOf(first.url)));
  }
  await expireSession(directory.path, world.credentials.expd ?? '');
  service = await startService(directory.path, { env });
  client = contractClient(clientOf(service.url));
});

after(async () => {
  await service?.stop();
  directory[Symbol.dispose]();
});

test('the matrix has a row for every operation of the contract and no other rows', () => {
  const rows = new Set(matrix.map((row) => row.operationId));
  assert.deepEqual([...rows].sort(), operations.map((operation) => operation.id).sort());
});

test('every row has a status for every caller', () => {
  for (const { name, cells } of matrix) {
    assert.deepEqual([...cells.keys()], callers, name);
    for (const status of cells.values()) assert.ok(status >= 200 && status < 500, name);
  }
});

for (const { name, cells } of matrix)
  test(`${name} returns the status in the matrix for every caller`, async () => {
    const targets = targetsOf(client, world, name);
    const wrong: string[] = [];
    for (const caller of callers) {
      const answer = await ask(name, caller, targets);
      const wanted = cells.get(caller);
      if (answer.status !== wanted)
        wrong.push(`${CALLERS[caller]}: ${answer.status} instead of ${wanted}: ${answer.text}`);
    }
    assert.deepEqual(wrong, []);
  });

async function ask(row: string, caller: CallerName, rowTargets: RowTargets): Promise<Answer> {
  const targets = await rowTargets.get();
  const answer = await send(row, caller, targets);
  if (answer.status < 300) rowTargets.succeeded();
  if (answer.status === 403) await assertSameForMissingTargets(answer, row, caller, targets);
  return answer;
}

function send(row: string, caller: CallerName, targets: Targets): Promise<Answer> {
  const { path, ...request } = requestOf(row, targets);
  return client(path, { ...request, as: world.credentials[caller] });
}

/** A 403 must not reveal which spaces, bots, keys and users exist. */
async function assertSameForMissingTargets(
  rejected: Answer,
  row: string,
  caller: CallerName,
  targets: Targets,
): Promise<void> {
  const { status, text } = await send(row, caller, missing(targets));
  const what = `${row} by ${CALLERS[caller]} with missing targets`;
  assert.deepEqual({ status, text }, { status: rejected.status, text: rejected.text }, what);
}
