import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operations } from '@gatehouse/contract';
import type { ChildServer } from '../support/child-server.ts';
import { type Answer, type Client, clientOf } from '../support/client.ts';
import { contractClient } from '../support/contract-client.ts';
import { ALLOW_RECEIVERS } from '../support/receiver.ts';
import { startService, temporaryDirectory } from '../support/service.ts';
import { expireSession, makeWorld, type World } from './authorization/callers.ts';
import { type RowTargets, targetsOf } from './authorization/fresh-targets.ts';
import { CALLERS, type CallerName, readMatrix } from './authorization/matrix.ts';
import { nowhere, requestOf, type Targets } from './authorization/requests.ts';

/** The same before and after the restart, as widget sessions name it; many people sign in at once. */
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

test('the matrix has a row for every operation of the contract, and none besides', () => {
  const rows = new Set(matrix.map((row) => row.operationId));
  assert.deepEqual([...rows].sort(), operations.map((operation) => operation.id).sort());
});

test('every row has a cell for every caller', () => {
  for (const { name, cells } of matrix) {
    assert.deepEqual([...cells.keys()], callers, name);
    for (const status of cells.values()) assert.ok(status >= 200 && status < 500, name);
  }
});

for (const { name, cells } of matrix)
  test(`${name} answers each caller as the matrix says`, async () => {
    const targets = targetsOf(client, world, name);
    const wrong: string[] = [];
    for (const caller of callers) {
      const answer = await ask(name, caller, targets);
      const wanted = cells.get(caller);
      if (answer.status !== wanted)
        wrong.push(`${CALLERS[caller]}: ${answer.status} and not ${wanted}: ${answer.text}`);
    }
    assert.deepEqual(wrong, []);
  });

async function ask(row: string, caller: CallerName, rowTargets: RowTargets): Promise<Answer> {
  const targets = await rowTargets.get();
  const answer = await send(row, caller, targets);
  if (answer.status < 300) rowTargets.succeeded();
  if (answer.status === 403) await assertSameWhereNothingIs(answer, row, caller, targets);
  return answer;
}

function send(row: string, caller: CallerName, targets: Targets): Promise<Answer> {
  const { path, ...request } = requestOf(row, targets);
  return client(path, { ...request, as: world.credentials[caller] });
}

/** Or else a refusal would tell which spaces, bots, keys and users there are. */
async function assertSameWhereNothingIs(
  refused: Answer,
  row: string,
  caller: CallerName,
  targets: Targets,
): Promise<void> {
  const { status, text } = await send(row, caller, nowhere(targets));
  const what = `${row} by ${CALLERS[caller]}, where nothing is`;
  assert.deepEqual({ status, text }, { status: refused.status, text: refused.text }, what);
}
