import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type AuditEntry, operations } from '@gatehouse/contract';
import { ALLOW_RECEIVERS } from '../support/events/receiver.ts';
import { type Client, type ClientResponse, clientOf } from '../support/http/client.ts';
import { contractClient } from '../support/http/contract-client.ts';
import { startInProcess } from '../support/services/in-process-service.ts';
import { temporaryDirectory } from '../support/services/service.ts';
import { copyMigratedDatabase } from '../support/storage/migrated-database.ts';
import { AUDITED } from './authorization/audited.ts';
import {
  cookieHeaders,
  expireSession,
  makeWorld,
  ORIGIN,
  type World,
} from './authorization/callers.ts';
import { CALLERS, type CallerName, readMatrix } from './authorization/matrix.ts';
import { missing, requestOf, type Targets } from './authorization/requests.ts';
import { QUESTION, type RowTargets, targetsOf } from './authorization/targets.ts';

// Widget sessions contain the base URL, so the base URL must be the same after the restart. Many users sign in at once.
const env = {
  // The rows of conversations ask more questions than one person may ask in a minute.
  GATEHOUSE_RATE_LIMIT_CHAT: '0',
  ...ALLOW_RECEIVERS,
  GATEHOUSE_BASE_URL: ORIGIN,
  GATEHOUSE_RATE_LIMIT_SIGN_IN: '0',
};
const directory = temporaryDirectory();
/** Callers whose rights are in another space. */
const FOREIGN: ReadonlySet<CallerName> = new Set(['othr', 'ownx', 'widx']);
const callers = Object.keys(CALLERS) as CallerName[];
const matrix = readMatrix();
let service: { stop(): Promise<void> } | undefined;
let client: Client;
let world: World;

before(async () => {
  copyMigratedDatabase(directory.path);
  const first = await start();
  world = await makeWorld(first.client);
  await first.service.stop();
  await expireSession(directory.path, world.credentials.expd ?? '');
  ({ service, client } = await start());
});

after(async () => {
  await service?.stop();
  directory[Symbol.dispose]();
});

async function start() {
  const started = await startInProcess(directory.path, { env });
  const bareClient = clientOf(`http://127.0.0.1:${started.port}`);
  return { service: started, client: contractClient(bareClient) };
}

test('the matrix has a row for every operation of the contract and no other rows', () => {
  const rows = new Set(matrix.map((row) => row.operationId));
  assert.deepEqual([...rows].sort(), operations.map((operation) => operation.id).sort());
});

/** Paths whose reads are audited too. */
const CONVERSATIONS = /^\/spaces\/\{spaceId\}\/(conversations|questions)\b/;

test('every row that changes something or reads conversations names its action in the audit, or says why there is none', () => {
  const rows = matrix.flatMap(({ name, operationId }) => {
    const operation = operations.find(({ id }) => id === operationId);
    const isAudited = operation?.method !== 'GET' || CONVERSATIONS.test(operation.path);
    return isAudited ? [name] : [];
  });
  assert.deepEqual(Object.keys(AUDITED).sort(), rows.sort());
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

async function ask(
  row: string,
  caller: CallerName,
  rowTargets: RowTargets,
): Promise<ClientResponse> {
  const targets = await rowTargets.get();
  const answer = await send(row, caller, targets);
  if (caller === 'admn') await assertAudited(row, answer);
  if (FOREIGN.has(caller)) assert.ok(!answer.text.includes(QUESTION), `${row} by ${caller}`);
  if (answer.status < 300) rowTargets.succeeded();
  if (answer.status === 403) await assertSameForMissingTargets(answer, row, caller, targets);
  return answer;
}

function send(row: string, caller: CallerName, targets: Targets): Promise<ClientResponse> {
  const { path, ...request } = requestOf(row, targets);
  const credential = world.credentials[caller];
  const { headers } = request;
  if (caller === 'cons' || caller === 'csrf')
    return client(path, {
      ...request,
      headers: { ...headers, ...cookieHeaders(caller, credential) },
    });
  return client(path, { ...request, as: credential });
}

/** Checks that the newest entry of the audit is the action of this request. */
async function assertAudited(row: string, { status, headers }: ClientResponse): Promise<void> {
  const action = AUDITED[row] ?? 'none';
  if (action.startsWith('none')) return;
  assert.ok(status < 300, row);
  const found = await client(`/audit?action=${action}&limit=1`, { as: world.admin });
  const [entry] = found.json['items'] as AuditEntry[];
  assert.ok(entry, `${row} is not audited`);
  assert.match(entry.address ?? '', /127\.0\.0\.1|::1/, row);
  const sent = Date.parse(headers.get('date') ?? '');
  assert.ok(Math.abs(Date.parse(entry.at) - sent) < 5000, `${row} is not audited`);
  if (entry.actor.type === 'user') assert.ok(entry.actor.session !== null, row);
  else assert.equal(entry.actor.type, 'anonymous', row);
}

/** A 403 must not reveal which spaces, bots, keys and users exist. */
async function assertSameForMissingTargets(
  rejected: ClientResponse,
  row: string,
  caller: CallerName,
  targets: Targets,
): Promise<void> {
  const { status, text } = await send(row, caller, missing(targets));
  const what = `${row} by ${CALLERS[caller]} with missing targets`;
  assert.deepEqual({ status, text }, { status: rejected.status, text: rejected.text }, what);
}
