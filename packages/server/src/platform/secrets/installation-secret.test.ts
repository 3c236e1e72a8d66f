import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { inspect } from 'node:util';
import { openSecret, UnusableSecret } from './installation-secret.ts';

let parent: string;
let dataDir: string;
const secretFile = () => join(dataDir, 'keys', 'secret');

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'gatehouse-secrets-'));
  dataDir = join(parent, 'not', 'there', 'yet');
});
afterEach(() => rmSync(parent, { recursive: true }));

const createSecret = () => openSecret(dataDir, null).create();

function problem(open: () => unknown = () => openSecret(dataDir, null)): string {
  try {
    open();
  } catch (error) {
    assert.ok(error instanceof UnusableSecret, inspect(error));
    return error.message;
  }
  return '';
}

function mode(path: string): number {
  return statSync(path).mode & 0o777;
}

describe('the installation secret', () => {
  it('is created in a file that only its owner can access', () => {
    const { secret, from, create } = openSecret(dataDir, null);
    assert.deepEqual([secret, from], [null, secretFile()]);
    assert.deepEqual(readdirSync(dataDir), [], 'opening creates only the data directory');
    assert.equal(create().length, 32);
    assert.deepEqual([dataDir, join(dataDir, 'keys')].map(mode), [0o700, 0o700]);
    assert.equal(mode(secretFile()), 0o600);
    assert.deepEqual(readdirSync(join(dataDir, 'keys')), ['secret']);
  });

  it('is the same at every start with one data directory, and differs between data directories', () => {
    const first = createSecret();
    assert.deepEqual(openSecret(dataDir, null).secret, first);
    assert.deepEqual(createSecret(), first);
    assert.notDeepEqual(openSecret(join(parent, 'other'), null).create(), first);
  });

  it('is not written to disk if the operator provides the secret', () => {
    const given = randomBytes(32);
    const { secret, from, create } = openSecret(dataDir, given);
    assert.deepEqual([secret, from, create()], [given, 'GATEHOUSE_SECRET', given]);
    assert.deepEqual(readdirSync(dataDir), []);
  });

  it('may be set as GATEHOUSE_SECRET although a key file exists, if the two secrets are equal', () => {
    const secret = createSecret();
    assert.deepEqual(openSecret(dataDir, secret).secret, secret);
    assert.match(
      problem(() => openSecret(dataDir, randomBytes(32))),
      /^GATEHOUSE_SECRET: differs from the secret in .*keys\/secret;/,
    );
  });

  it('may be stored in the key file as base64 or base64url', () => {
    const secret = createSecret();
    writeFileSync(secretFile(), `${secret.toString('base64')}\n`);
    assert.deepEqual(openSecret(dataDir, null).secret, secret);
  });

  it('is the same in processes that start concurrently on one data directory', async () => {
    const script = `import { openSecret } from ${JSON.stringify(import.meta.resolve('./installation-secret.ts'))};
      console.log(openSecret(process.argv[1], null).create().toString('hex'));`;
    const outputs = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', script, dataDir]);
        let output = '';
        child.stdout.on('data', (chunk) => (output += chunk));
        await once(child, 'close');
        return output;
      }),
    );
    assert.match(outputs[0] ?? '', /^[0-9a-f]{64}\n$/);
    assert.equal(new Set(outputs).size, 1);
  });
});

describe('openSecret', () => {
  it('rejects a key file that other users can read, and names the command that fixes its mode', () => {
    createSecret();
    chmodSync(secretFile(), 0o604);
    assert.equal(
      problem(),
      `${secretFile()}: is accessible to other users (mode 0604); if nobody else can have read it, run: chmod 600 '${secretFile()}'`,
    );
  });

  it('rejects a key directory that other users can access', () => {
    createSecret();
    chmodSync(join(dataDir, 'keys'), 0o755);
    const open = /keys: is accessible to other users \(mode 0755\).*chmod 700/;
    assert.match(problem(), open);
    assert.match(
      problem(() => openSecret(dataDir, randomBytes(32))),
      open,
    );
  });

  it('rejects a key file with a secret of the wrong length or encoding, and leaves the file unchanged', () => {
    createSecret();
    for (const text of ['', 'A'.repeat(42), 'A'.repeat(44), '*'.repeat(43), '\n']) {
      writeFileSync(secretFile(), text);
      assert.match(problem(), /secret: is not 32 bytes in base64 or base64url; restore it/);
      assert.equal(readFileSync(secretFile(), 'utf8'), text);
    }
  });

  it('reports a directory at the path of the key file', () => {
    mkdirSync(secretFile(), { recursive: true, mode: 0o700 });
    assert.match(problem(), /secret: cannot be used \(EISDIR\)/);
  });
});

describe('openSecret with a data directory', () => {
  it('names GATEHOUSE_DATA_DIR if the path of the data directory is a file', () => {
    dataDir = join(parent, 'file');
    writeFileSync(dataDir, '');
    assert.match(problem(), /^GATEHOUSE_DATA_DIR: .*file cannot be used \(EEXIST\)$/);
  });

  it('does not change the mode of an existing data directory', () => {
    mkdirSync(dataDir, { recursive: true });
    chmodSync(dataDir, 0o755);
    createSecret();
    assert.equal(mode(dataDir), 0o755);
  });
});
