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

describe('the secret', () => {
  it('is made at the first start, for the owner alone', () => {
    const { secret, from } = openSecret(dataDir, null);
    assert.equal(secret.length, 32);
    assert.equal(from, secretFile());
    assert.deepEqual([dataDir, join(dataDir, 'keys')].map(mode), [0o700, 0o700]);
    assert.equal(mode(secretFile()), 0o600);
    assert.deepEqual(readdirSync(join(dataDir, 'keys')), ['secret']);
  });

  it('is the same at every later start, and another in another directory', () => {
    const first = openSecret(dataDir, null);
    assert.deepEqual(openSecret(dataDir, null).secret, first.secret);
    assert.notDeepEqual(openSecret(join(parent, 'other'), null).secret, first.secret);
  });

  it('is kept nowhere when it is given', () => {
    const given = randomBytes(32);
    const { secret, from } = openSecret(dataDir, given);
    assert.deepEqual([secret, from], [given, 'GATEHOUSE_SECRET']);
    assert.deepEqual(readdirSync(dataDir), []);
  });

  it('may be given beside the file when both say the same, and is refused when they do not', () => {
    const { secret } = openSecret(dataDir, null);
    assert.deepEqual(openSecret(dataDir, secret).secret, secret);
    assert.match(
      problem(() => openSecret(dataDir, randomBytes(32))),
      /^GATEHOUSE_SECRET: is another secret than the one in .*keys\/secret;/,
    );
  });

  it('may stand in its file as base64, too', () => {
    const { secret } = openSecret(dataDir, null);
    writeFileSync(secretFile(), `${secret.toString('base64')}\n`);
    assert.deepEqual(openSecret(dataDir, null).secret, secret);
  });

  it('is one and the same for processes that start at the same moment', async () => {
    const script = `import { openSecret } from ${JSON.stringify(import.meta.resolve('./installation-secret.ts'))};
      console.log(openSecret(process.argv[1], null).secret.toString('hex'));`;
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

describe('a key file that cannot be trusted', () => {
  it('is refused when others may read it, with how to mend it', () => {
    openSecret(dataDir, null);
    chmodSync(secretFile(), 0o604);
    assert.equal(
      problem(),
      `${secretFile()}: is open to others (mode 0604); if nobody else can have read it, run: chmod 600 '${secretFile()}'`,
    );
  });

  it('is refused when its directory is open to others', () => {
    openSecret(dataDir, null);
    chmodSync(join(dataDir, 'keys'), 0o755);
    const open = /keys: is open to others \(mode 0755\).*chmod 700/;
    assert.match(problem(), open);
    assert.match(
      problem(() => openSecret(dataDir, randomBytes(32))),
      open,
    );
  });

  it('is refused when the secret is too short, too long or not base64, without being changed', () => {
    openSecret(dataDir, null);
    for (const text of ['', 'A'.repeat(42), 'A'.repeat(44), '*'.repeat(43), '\n']) {
      writeFileSync(secretFile(), text);
      assert.match(problem(), /secret: is not 32 bytes in base64 or base64url; restore it/);
      assert.equal(readFileSync(secretFile(), 'utf8'), text);
    }
  });

  it('is named when a directory stands in its place', () => {
    mkdirSync(secretFile(), { recursive: true, mode: 0o700 });
    assert.match(problem(), /secret: cannot be used \(EISDIR\)/);
  });
});

describe('a data directory', () => {
  it('that is a file is named with its variable', () => {
    dataDir = join(parent, 'file');
    writeFileSync(dataDir, '');
    assert.match(problem(), /^GATEHOUSE_DATA_DIR: .*file cannot be used \(ENOTDIR\)$/);
  });

  it('that exists keeps its mode', () => {
    mkdirSync(dataDir, { recursive: true });
    chmodSync(dataDir, 0o755);
    openSecret(dataDir, null);
    assert.equal(mode(dataDir), 0o755);
  });
});
