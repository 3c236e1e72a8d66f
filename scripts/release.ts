/**
 * Builds a release of the committed state in a fresh clone; see "Release" in CONTRIBUTING.md.
 *
 *     npm run release -- [--out <folder>] [--key <file>] [--builder <uri>]
 *
 * `--key` names an Ed25519 private key in PEM form. Without it, the release is not signed.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { packRelease } from './release/pack-release.ts';

const ROOT = join(import.meta.dirname, '..');
const { values: options } = parseArgs({
  options: {
    out: { type: 'string', default: 'release' },
    key: { type: 'string' },
    builder: { type: 'string', default: 'urn:gatehouse:local-build' },
  },
});

const changes = execFileSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' });
if (changes !== '') {
  console.error(`There are uncommitted changes. Commit or remove them first:\n${changes}`);
  process.exit(1);
}
const signingKey = options.key === undefined ? null : readFileSync(options.key, 'utf8');
const clone = mkdtempSync(join(tmpdir(), 'gatehouse-release-'));
try {
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: clone, stdio: ['ignore', 'inherit', 'inherit'] });
  run('git', 'clone', '--quiet', ROOT, '.');
  run('npm', 'ci', '--no-audit', '--no-fund');
  const out = resolve(options.out);
  const files = packRelease({ root: clone, out, signingKey, builder: options.builder });
  for (const file of files) console.log(join(out, file));
  if (signingKey === null) console.log('The release is not signed: no --key was given.');
} finally {
  rmSync(clone, { recursive: true, force: true });
}
