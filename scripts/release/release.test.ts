import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { isPermitted, withLicences } from '../docs/licences.ts';
import { packRelease } from './pack-release.ts';
import { type RuntimePackage, runtimePackages } from './runtime-packages.ts';

const ROOT = join(import.meta.dirname, '../..');
const home = mkdtempSync(join(tmpdir(), 'gatehouse-release-test-'));
after(() => rmSync(home, { recursive: true, force: true }));
const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const options = { root: ROOT, signingKey: privateKey, builder: 'urn:gatehouse:test' };
const out = join(home, 'first');
const files = packRelease({ ...options, out });
const archive = files[0] ?? '';

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(join(out, file), 'utf8')) as T;
}

test('a release contains the archive, bill of materials, provenance, checksums and signature', () => {
  assert.deepEqual(readdirSync(out).sort(), [...files].sort());
  assert.equal(files.length, 5);
});

test('the archive contains the committed files and the built widget, but no packages', () => {
  const names = execFileSync('tar', ['-tzf', join(out, archive)], { encoding: 'utf8' }).split('\n');
  const tracked = execFileSync('git', ['ls-tree', '-r', '--name-only', 'HEAD'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const prefix = archive.replace('.tar.gz', '/');
  for (const file of tracked.trim().split('\n')) assert.ok(names.includes(prefix + file), file);
  for (const built of ['console', 'site', 'widget'])
    assert.ok(names.includes(`${prefix}packages/${built}/dist/manifest.json`), built);
  assert.ok(!names.some((name) => name.includes('node_modules')));
});

test('two builds of one commit have the same archive and bill of materials', () => {
  const second = join(home, 'second');
  packRelease({ ...options, out: second });
  for (const file of files.slice(0, 2))
    assert.ok(readFileSync(join(out, file)).equals(readFileSync(join(second, file))), file);
});

const noOpenSsl = spawnSync('openssl', ['version']).error && 'openssl is missing';

test('sha256sum and openssl accept the release, and reject changed checksums and a changed archive', {
  skip: noOpenSsl,
}, () => {
  const key = join(home, 'key.pem');
  writeFileSync(key, publicKey);
  const verify = () =>
    spawnSync(
      'openssl',
      ['pkeyutl', '-verify', '-rawin', '-pubin', '-inkey', key, '-in', 'SHA256SUMS'].concat([
        '-sigfile',
        'SHA256SUMS.sig',
      ]),
      { cwd: changed },
    );
  const check = () => spawnSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: changed });
  const changed = join(home, 'changed');
  packRelease({ ...options, out: changed });
  assert.equal(check().status, 0);
  assert.equal(verify().status, 0);
  appendFileSync(join(changed, archive), '\n');
  assert.notEqual(check().status, 0);
  appendFileSync(join(changed, 'SHA256SUMS'), '\n');
  assert.notEqual(verify().status, 0);
});

test('the provenance names the commit, and its digests are those of the files', () => {
  const { subject, predicate } = readJson<{
    subject: { name: string; digest: { sha256: string } }[];
    predicate: { buildDefinition: { externalParameters: { commit: string } } };
  }>(files[2] ?? '');
  const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
  assert.equal(predicate.buildDefinition.externalParameters.commit, head);
  const sums = readFileSync(join(out, 'SHA256SUMS'), 'utf8');
  for (const { name, digest } of subject) assert.ok(sums.includes(`${digest.sha256}  ${name}\n`));
});

test('the bill of materials lists all direct dependencies of the server and the widget, with hashes', () => {
  const { components, dependencies } = readJson<{
    components: { purl: string; hashes: { alg: string; content: string }[] }[];
    dependencies: { ref: string; dependsOn: string[] }[];
  }>(files[1] ?? '');
  const purls = components.map(({ purl }) => purl);
  assert.equal(new Set(purls).size, purls.length);
  for (const workspace of ['server', 'widget', 'contract', 'filter']) {
    const text = readFileSync(join(ROOT, 'packages', workspace, 'package.json'), 'utf8');
    const { dependencies = {} } = JSON.parse(text) as { dependencies?: Record<string, string> };
    for (const [name, version] of Object.entries(dependencies))
      if (!name.startsWith('@gatehouse/') && name !== 'vite')
        assert.ok(purls.includes(`pkg:npm/${name.replace('@', '%40')}@${version}`), name);
  }
  for (const { hashes } of components)
    for (const { alg, content } of hashes) {
      assert.equal(alg, 'SHA-512');
      assert.match(content, /^[0-9a-f]{128}$/);
    }
  for (const { dependsOn } of dependencies)
    for (const ref of dependsOn) assert.ok(purls.includes(ref), ref);
});

test('a key of another type is rejected before anything is written', () => {
  const { privateKey: rsa } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const unused = join(home, 'unused');
  assert.throws(() => packRelease({ ...options, signingKey: rsa, out: unused }), /must be Ed25519/);
  assert.ok(!readdirSync(home).includes('unused'));
});

test('a package without a licence, or with one that is not permitted, is named in the error', () => {
  const [pino] = runtimePackages(ROOT).filter(({ name }) => name === 'pino');
  assert.ok(pino);
  const like = (name: string, licence: string | null): RuntimePackage => ({
    ...pino,
    name,
    licence,
  });
  assert.deepEqual(withLicences([pino]), [pino]);
  assert.throws(
    () => withLicences([pino, like('bad', 'GPL-3.0-only'), like('none', null)]),
    /bad@[\d.]+ \(GPL-3\.0-only\), none@[\d.]+ \(none\)/,
  );
});

test('a licence expression is permitted if one alternative consists of permitted licences', () => {
  for (const good of ['MIT', '(MIT OR GPL-3.0-or-later)', '(MIT AND Zlib)'])
    assert.ok(isPermitted(good), good);
  for (const bad of ['', 'GPL-3.0-only', '(MIT AND GPL-3.0-only)', 'UNLICENSED'])
    assert.ok(!isPermitted(bad), bad);
});
