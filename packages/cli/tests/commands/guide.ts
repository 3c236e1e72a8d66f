import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, test } from 'node:test';
import { openGuide } from '../../../server/tests/support/guides/guide.ts';
import { ADMIN, temporaryDirectory } from '../../../server/tests/support/services/service.ts';
import { OPERATOR_COMMANDS } from '../../src/commands/admin.ts';
import { commandReference } from '../../src/reference.ts';
import { CACHE, MAIN } from '../command-line.ts';
import { url } from '../service.ts';

const GUIDE = join(import.meta.dirname, '../../../../docs/guides/command-line.md');
const README = join(import.meta.dirname, '../../README.md');
const guide = openGuide('command-line');
const home = temporaryDirectory();
after(() => home[Symbol.dispose]());

test('the commands of the guide run as written', {
  skip: spawnSync('jq', ['--version']).error !== undefined && 'jq is not installed',
}, async () => {
  const bin = join(home.path, 'bin');
  mkdirSync(bin);
  mkdirSync(join(home.path, 'handbook'));
  const program = `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`;
  writeFileSync(join(bin, 'gatehouse'), program, { mode: 0o755 });
  writeFileSync(join(home.path, 'password.txt'), `${ADMIN.password}\n`);
  writeFileSync(join(home.path, 'handbook/returns.md'), '# Returns\n\nA refund takes five days.');
  const blocks = guide.rest('sh').join('\n').replaceAll('ada@example.com', ADMIN.email);
  const script = `set -euo pipefail\n${blocks}`;
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], {
    cwd: home.path,
    env: {
      PATH: `${bin}${delimiter}${process.env['PATH']}`,
      HOME: home.path,
      SERVICE: url,
      NODE_COMPILE_CACHE: CACHE,
    },
    encoding: 'utf8',
    timeout: 120_000,
  });
  assert.equal(status, 0, stderr);
  assert.match(stderr, /^1 uploaded$/m);
  assert.match(stderr, /^1 unchanged$/m);
  assert.match(stdout, /^The link shows 1 of 1 documents\.$/m);
  assert.match(stdout, /^The link shows "/m);
  assert.match(
    readFileSync(join(home.path, 'conversations.csv'), 'utf8'),
    /How long does a refund/,
  );
});

test('the README and the guide name only commands that exist', () => {
  const commands = new Set(
    commandReference().map((command) => {
      const parent = command.parent?.name();
      return parent === 'gatehouse' ? command.name() : `${parent} ${command.name()}`;
    }),
  );
  const groups = new Set([...commands].map((name) => name.split(' ', 1).join()));
  for (const name of Object.keys(OPERATOR_COMMANDS)) commands.add(name);
  for (const file of [GUIDE, README])
    for (const [, first = '', second = ''] of readFileSync(file, 'utf8').matchAll(
      /(?:^|`|\()gatehouse ([a-z]+)(?: ([a-z-]+))?/gm,
    ))
      assert.ok(
        commands.has(first) || commands.has(`${first} ${second}`) || groups.has(first),
        `${file}: gatehouse ${first} ${second}`,
      );
});
