import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readableLine } from '../../src/platform/logs/readable-line.ts';
import { createSealer } from '../../src/platform/secrets/index.ts';
import { type Client, type ClientResponse, clientOf } from '../support/http/client.ts';
import { sendBytes } from '../support/http/raw-socket.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { backendOf, SQLITE_ONLY } from '../support/storage/backend.ts';
import { allStored, stored } from '../support/storage/stored.ts';
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
const answers: ClientResponse[] = [];
let output = { stdout: '', stderr: '' };
let filesWhileRunning: KeptFile[] = [];
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

function remembering(client: Client, heard: ClientResponse[]): Client {
  return async (path, send) => {
    const answer = await client(path, send);
    heard.push(answer);
    return answer;
  };
}

/** Returns the encrypted signing keys from a database whose tables have been renamed. */
async function sealedKeys(dataDir: string): Promise<string[]> {
  const rows = await stored(dataDir, 'select sealed from signing_keys_away order by generation');
  return rows.map(({ sealed }) => String(sealed));
}

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '');

test('the scenario produces every expected status and uses at least 15 credentials and 8 texts', () => {
  const statuses = new Set(answers.map(({ status }) => status));
  for (const status of [200, 201, 400, 401, 403, 404, 405, 409, 413, 415, 500])
    assert.ok(statuses.has(status), `no response had status ${status}`);
  assert.ok(credentials.size >= 15 && contents.size >= 8);
});

test('no log line contains a token, key, password, signature or event data', () => {
  const printed = output.stdout + output.stderr;
  assert.deepEqual(credentials.foundIn(printed), []);
  assert.deepEqual(contents.foundIn(printed), []);
});

test('no log line contains the secret of the installation or a signing key', async () => {
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

test('the readable form of the log contains no token, key, password, signature or event data', () => {
  const shown = linesOf(output.stdout).map((line) => readableLine(line, false));
  assert.ok(shown.length > answers.length);
  assert.deepEqual(credentials.foundIn(shown.join('')), []);
  assert.deepEqual(contents.foundIn(shown.join('')), []);
});

test('every printed line is a JSON object', () => {
  assert.equal(output.stderr, '');
  const lines = linesOf(output.stdout);
  assert.ok(lines.length > answers.length);
  for (const line of lines) {
    const parsed: unknown = JSON.parse(line);
    assert.ok(typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed), line);
  }
});

test('every response has exactly one log line with its request ID and status', () => {
  const lines = linesOf(output.stdout).map((line) => JSON.parse(line) as Line);
  for (const { headers, status } of answers) {
    const id = headers.get('x-request-id');
    const about = lines.filter(({ requestId, msg }) => requestId === id && msg === 'request');
    assert.deepEqual(
      about.map((line) => line.status),
      [status],
      `log lines of ${id}`,
    );
  }
});

test('a 500 response contains no details, and the log contains the reason under its request ID', () => {
  const lines = linesOf(output.stdout).map((line) => JSON.parse(line) as Line & { err?: object });
  for (const { status, json, headers } of answers) {
    if (status !== 500) continue;
    const id = headers.get('x-request-id') ?? '';
    assert.deepEqual(Object.keys(json).sort(), ['code', 'message']);
    assert.ok(String(json['message']).includes(id));
    assert.ok(lines.some(({ requestId, err }) => requestId === id && err !== undefined));
  }
});

test('the database contains no credential in plain text', () => {
  assert.deepEqual(credentials.foundIn(kept), []);
  assert.ok(contents.foundIn(kept).length > 0, 'the search detects stored contents');
});

test('no file in the data directory contains a credential in plain text', {
  skip: SQLITE_ONLY,
}, () => {
  const files = [...filesWhileRunning, ...filesIn(directory.path)];
  assert.ok(files.some(({ path }) => path.endsWith('-wal')));
  for (const { path, bytes } of files) assert.deepEqual(credentials.foundIn(bytes), [], path);
});

test('only the owner of the data directory can read the key directory', {
  skip: SQLITE_ONLY,
}, () => {
  const keys = filesWhileRunning.filter(({ path }) => path.startsWith('keys/'));
  assert.deepEqual(keys.map(({ path, mode }) => [path, mode.toString(8)]).sort(), [
    ['keys/secret', '600'],
  ]);
  assert.equal((statSync(join(directory.path, 'keys')).mode & 0o777).toString(8), '700');
});
