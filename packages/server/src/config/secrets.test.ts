import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { sign, verify } from 'node:crypto';
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
import { ConfigError } from './config-error.ts';
import { openSecrets } from './secrets.ts';
import { thumbprint } from './session-signing-key.ts';

let parent: string;
let dataDir: string;
const keyFile = () => join(dataDir, 'keys', 'session-signing.jwk.json');
const secretFile = () => join(dataDir, 'keys', 'secret');

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'gatehouse-secrets-'));
  dataDir = join(parent, 'not', 'there', 'yet');
});
afterEach(() => rmSync(parent, { recursive: true }));

function problems(): readonly string[] {
  try {
    openSecrets(dataDir);
  } catch (error) {
    assert.ok(error instanceof ConfigError, inspect(error));
    return error.problems;
  }
  return [];
}

function mode(path: string): number {
  return statSync(path).mode & 0o777;
}

describe('secrets', () => {
  it('are made at the first start, for the owner alone', () => {
    const { sessionSigningKey, secret } = openSecrets(dataDir);
    assert.equal(secret.length, 32);
    assert.equal(sessionSigningKey.kid, sessionSigningKey.publicJwk.kid);
    assert.deepEqual([dataDir, join(dataDir, 'keys')].map(mode), [0o700, 0o700]);
    assert.deepEqual([keyFile(), secretFile()].map(mode), [0o600, 0o600]);
    assert.deepEqual(readdirSync(join(dataDir, 'keys')), ['secret', 'session-signing.jwk.json']);
  });

  it('are the same at every later start, and others in another directory', () => {
    const first = openSecrets(dataDir);
    const second = openSecrets(dataDir);
    const other = openSecrets(join(parent, 'other'));
    assert.deepEqual(second.secret, first.secret);
    assert.deepEqual(second.sessionSigningKey.publicJwk, first.sessionSigningKey.publicJwk);
    const signature = sign(null, Buffer.from('claims'), second.sessionSigningKey.privateKey);
    const { privateKey } = first.sessionSigningKey;
    assert.ok(signature.equals(sign(null, Buffer.from('claims'), privateKey)));
    assert.notDeepEqual(other.secret, first.secret);
    assert.notEqual(other.sessionSigningKey.kid, first.sessionSigningKey.kid);
  });

  it('sign what the public key verifies, and the public key says nothing private', () => {
    const { privateKey, publicJwk } = openSecrets(dataDir).sessionSigningKey;
    const signature = sign(null, Buffer.from('claims'), privateKey);
    const key = { format: 'jwk', key: { ...publicJwk } } as const;
    assert.ok(verify(null, Buffer.from('claims'), key, signature));
    assert.deepEqual(Object.keys(publicJwk).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x']);
  });

  it('have the key id of RFC 7638, shown on the example of RFC 8037 A.3', () => {
    const kid = thumbprint('11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo');
    assert.equal(kid, 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
  });

  it('are not printed with the object that holds them', () => {
    const secrets = openSecrets(dataDir);
    assert.equal(JSON.stringify({ secrets }), '{"secrets":"[secret]"}');
    assert.equal(inspect({ secrets }), '{ secrets: [secret] }');
  });

  it('are one and the same for processes that start at the same moment', async () => {
    const script = `import { openSecrets } from ${JSON.stringify(import.meta.resolve('./secrets.ts'))};
      console.log(openSecrets(process.argv[1]).secret.toString('hex'));`;
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
  it('is refused when others may read it, together with every other problem', () => {
    openSecrets(dataDir);
    chmodSync(keyFile(), 0o640);
    chmodSync(secretFile(), 0o604);
    assert.deepEqual(problems(), [
      `${keyFile()}: is open to others (mode 0640); if nobody else can have read it, run: chmod 600 '${keyFile()}'`,
      `${secretFile()}: is open to others (mode 0604); if nobody else can have read it, run: chmod 600 '${secretFile()}'`,
    ]);
  });

  it('is refused when its directory is open to others', () => {
    openSecrets(dataDir);
    chmodSync(join(dataDir, 'keys'), 0o755);
    assert.match(problems().join(), /keys: is open to others \(mode 0755\).*chmod 700/);
  });

  it('is refused when it is corrupt, without being changed or shown', () => {
    openSecrets(dataDir);
    const jwk = JSON.parse(readFileSync(keyFile(), 'utf8'));
    const other = openSecrets(join(parent, 'other')).sessionSigningKey.publicJwk;
    const corrupt = [
      '',
      'null',
      '{"d":',
      JSON.stringify({ ...jwk, d: undefined }),
      JSON.stringify({ ...jwk, x: other.x }),
      JSON.stringify({ ...jwk, kid: other.kid }),
      JSON.stringify({ ...jwk, crv: 'X25519' }),
    ];
    for (const text of corrupt) {
      writeFileSync(keyFile(), text);
      const [problem = ''] = problems();
      assert.match(problem, /: is not an Ed25519 private key as a JWK; restore it from a backup/);
      assert.ok(!problem.includes(jwk.d));
      assert.equal(readFileSync(keyFile(), 'utf8'), text);
    }
  });

  it('is refused when the secret is too short, too long or not base64url', () => {
    openSecrets(dataDir);
    for (const text of ['', 'A'.repeat(42), 'A'.repeat(44), '+'.repeat(43), '\n']) {
      writeFileSync(secretFile(), text);
      assert.match(problems().join(), /secret: is not 32 bytes in base64url; restore it/);
    }
  });

  it('is named when a directory stands in its place', () => {
    mkdirSync(keyFile(), { recursive: true, mode: 0o700 });
    assert.match(problems().join(), /session-signing\.jwk\.json: cannot be used \(EISDIR\)/);
  });
});

describe('a data directory', () => {
  it('that is a file is named with its variable', () => {
    dataDir = join(parent, 'file');
    writeFileSync(dataDir, '');
    assert.match(problems().join(), /^GATEHOUSE_DATA_DIR: .*file cannot be used \(ENOTDIR\)$/);
  });

  it('that exists keeps its mode', () => {
    mkdirSync(dataDir, { recursive: true });
    chmodSync(dataDir, 0o755);
    openSecrets(dataDir);
    assert.equal(mode(dataDir), 0o755);
  });
});
