import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createSealer } from '../../src/platform/secrets/index.ts';
import { backendOf, SQLITE_ALONE } from '../support/backend.ts';
import { type Answer, type Client, clientOf } from '../support/client.ts';
import { sendBytes } from '../support/raw-socket.ts';
import { startService, temporaryDirectory } from '../support/service.ts';
import { allStored, stored } from '../support/stored.ts';
import { breakTables } from './secrets/break-tables.ts';
import { filesIn, type KeptFile } from './secrets/data-directory.ts';
import { failEverywhere } from './secrets/fail-everywhere.ts';
import { Secrets } from './secrets/secrets.ts';
import { useEverything } from './secrets/use-everything.ts';

interface Line {
  readonly requestId?: string;
  readonly status?: number;
  readonly msg?: string;
}

const directory = temporaryDirectory();
const credentials = new Secrets();
const contents = new Secrets();
const answers: Answer[] = [];
let output = { stdout: '', stderr: '' };
let filesWhileRunning: KeptFile[] = [];
/** Everything that the store had when it was still whole. */
let kept = '';

before(async () => {
  const env = { GATEHOUSE_LOG_LEVEL: 'trace' };
  const service = await startService(directory.path, { env, capture: true });
  try {
    const client = remembering(clientOf(service.url), answers);
    const used = await useEverything({ client, credentials, contents });
    const { status } = await sendBytes(
      service.port,
      `GET /widget/${used.linkToken}\u0000 HTTP/1.1\r\n\r\n`,
    );
    assert.equal(status, 400);
    filesWhileRunning = filesIn(directory.path);
    kept = await allStored(directory.path);
    await breakTables(directory.path);
    await failEverywhere(client, used);
  } finally {
    await service.stop();
  }
  output = service.output();
});

after(() => directory[Symbol.dispose]());

function remembering(client: Client, heard: Answer[]): Client {
  return async (path, send) => {
    const answer = await client(path, send);
    heard.push(answer);
    return answer;
  };
}

/** What the database holds of the keys of widget sessions, when its tables are away. */
async function sealedKeys(dataDir: string): Promise<string[]> {
  const rows = await stored(dataDir, 'select sealed from signing_keys_away order by generation');
  return rows.map(({ sealed }) => String(sealed));
}

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '');

test('what happened gave the log every chance to tell a secret', () => {
  const statuses = new Set(answers.map(({ status }) => status));
  for (const status of [200, 201, 400, 401, 403, 404, 405, 409, 413, 415, 500])
    assert.ok(statuses.has(status), `no ${status} was provoked`);
  assert.ok(credentials.size >= 15 && contents.size >= 8);
});

test('no line at any level holds a token, a key, a password, a signature or event data', () => {
  const printed = output.stdout + output.stderr;
  assert.deepEqual(credentials.foundIn(printed), []);
  assert.deepEqual(contents.foundIn(printed), []);
});

test('no line holds a secret of the installation', async () => {
  const printed = output.stdout + output.stderr;
  const { GATEHOUSE_SECRET: given } = await backendOf(directory.path);
  const text = given ?? readFileSync(join(directory.path, 'keys', 'secret'), 'utf8').trim();
  const sealed = await sealedKeys(directory.path);
  const sealer = createSealer(Buffer.from(text, 'base64url'), 'signing keys');
  const keys = sealed.map((key, index) => JSON.parse(sealer.open(key, `${index + 1}`) ?? ''));
  assert.equal(keys.length, 1);
  for (const value of [text, ...sealed, ...keys.map(({ d }) => d)]) {
    assert.ok(value.length >= 40);
    assert.ok(!printed.includes(value.slice(0, 16)));
  }
});

test('everything that is printed is a JSON object a line', () => {
  assert.equal(output.stderr, '');
  const lines = linesOf(output.stdout);
  assert.ok(lines.length > answers.length);
  for (const line of lines) {
    const parsed: unknown = JSON.parse(line);
    assert.ok(typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed), line);
  }
});

test('every answer has one line, under the id that it carries and with its status', () => {
  const lines = linesOf(output.stdout).map((line) => JSON.parse(line) as Line);
  for (const { headers, status } of answers) {
    const id = headers.get('x-request-id');
    const about = lines.filter(({ requestId, msg }) => requestId === id && msg === 'request');
    assert.deepEqual(
      about.map((line) => line.status),
      [status],
      `the lines of ${id}`,
    );
  }
});

test('an answer of 500 says nothing, and the log has its reason under the same id', () => {
  const lines = linesOf(output.stdout).map((line) => JSON.parse(line) as Line & { err?: object });
  for (const { status, json, headers } of answers) {
    if (status !== 500) continue;
    const id = headers.get('x-request-id') ?? '';
    assert.deepEqual(Object.keys(json).sort(), ['code', 'message']);
    assert.ok(String(json['message']).includes(id));
    assert.ok(lines.some(({ requestId, err }) => requestId === id && err !== undefined));
  }
});

test('nothing that is kept holds a credential in plain text', () => {
  assert.deepEqual(credentials.foundIn(kept), []);
  assert.ok(contents.foundIn(kept).length > 0, 'what is looked for would be found');
});

test('no file of the data directory holds a credential in plain text, running or stopped', {
  skip: SQLITE_ALONE,
}, () => {
  const files = [...filesWhileRunning, ...filesIn(directory.path)];
  assert.ok(files.some(({ path }) => path.endsWith('-wal')));
  for (const { path, bytes } of files) assert.deepEqual(credentials.foundIn(bytes), [], path);
});

test('nobody else on the machine may read the keys', { skip: SQLITE_ALONE }, () => {
  const keys = filesWhileRunning.filter(({ path }) => path.startsWith('keys/'));
  assert.deepEqual(keys.map(({ path, mode }) => [path, mode.toString(8)]).sort(), [
    ['keys/secret', '600'],
  ]);
  assert.equal((statSync(join(directory.path, 'keys')).mode & 0o777).toString(8), '700');
});
