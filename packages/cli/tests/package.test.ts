import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { temporaryDirectory } from '../../server/tests/support/services/service.ts';
import { commandReference } from '../src/reference.ts';

const PACKAGE = join(import.meta.dirname, '..');
const run = promisify(execFile);
const directory = temporaryDirectory();
after(() => directory[Symbol.dispose]());
await run(process.execPath, [join(PACKAGE, 'build/build.ts'), '--out', directory.path]);
const manifest = JSON.parse(readFileSync(join(directory.path, 'package.json'), 'utf8'));

/** Runs the built command outside of the repository. */
function gatehouse(...args: readonly string[]) {
  const file = join(directory.path, manifest.bin.gatehouse);
  const { status, stdout, stderr } = spawnSync(file, args, {
    cwd: directory.path,
    env: { PATH: process.env['PATH'], HOME: directory.path },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test('the published package is one file without dependencies, which prints its version', () => {
  const { dependencies, peerDependencies, private: isPrivate, license } = manifest;
  assert.deepEqual(
    { dependencies, peerDependencies, isPrivate, license },
    {
      dependencies: undefined,
      peerDependencies: undefined,
      isPrivate: undefined,
      license: 'Apache-2.0',
    },
  );
  assert.deepEqual(gatehouse('--version'), {
    status: 0,
    stdout: `${manifest.version}\n`,
    stderr: '',
  });
  const code = readFileSync(join(directory.path, 'gatehouse.js'), 'utf8');
  const imported = [
    ...code.matchAll(/^import [^;]*? from ["']([^"']+)["']|^import ["']([^"']+)["']/gm),
  ];
  for (const [, from, bare] of imported) assert.match(from ?? bare ?? '', /^node:/);
  assert.match(
    readFileSync(join(directory.path, 'THIRD-PARTY-LICENSES'), 'utf8'),
    /commander\n(.*\n)*.*MIT/,
  );
});

test('admin says that the server package is missing', () => {
  const { status, stderr } = gatehouse('admin', 'backup', 'somewhere');
  assert.equal(status, 78);
  assert.match(stderr, /The server package is not installed here/);
});

test('every command has help with a description, and every option has one', () => {
  const commands = commandReference();
  assert.ok(commands.length > 30);
  for (const command of commands) {
    const help = command.createHelp();
    assert.match(command.description(), /\.$/, command.name());
    for (const option of help.visibleOptions(command)) assert.match(option.description, /\.$/);
    for (const one of command.registeredArguments) assert.match(one.description, /\.$/);
  }
});

test('colours are printed only on a terminal and without NO_COLOR', {
  skip: spawnSync('script', ['--version']).error !== undefined && 'script is not installed',
}, () => {
  const onTerminal = (env: Readonly<Record<string, string>>) =>
    spawnSync('script', ['-qec', `${join(directory.path, 'gatehouse.js')} whoami`, '/dev/null'], {
      env: {
        PATH: process.env['PATH'],
        HOME: directory.path,
        SHELL: '/bin/sh',
        TERM: 'xterm',
        ...env,
      },
      encoding: 'utf8',
    }).stdout;
  assert.ok(onTerminal({}).startsWith('\u001b[31mgatehouse:\u001b[39m The URL'));
  assert.match(onTerminal({ NO_COLOR: '1' }), /^gatehouse: The URL/);
  assert.match(gatehouse('whoami').stderr, /^gatehouse: The URL/);
});
