import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, test } from 'node:test';
import { temporaryDirectory } from '../../../server/tests/support/services/service.ts';
import { CACHE, commandLine, MAIN } from '../command-line.ts';
import { NO_TERMINAL, openTerminal } from '../terminal.ts';

const home = temporaryDirectory();
after(() => home[Symbol.dispose]());
const bin = join(home.path, 'bin');
mkdirSync(bin);
// Runs the real completion. Other commands only print their arguments.
writeFileSync(
  join(bin, 'gatehouse'),
  `#!/bin/sh
if [ "$1" = __complete ]; then exec "${process.execPath}" "${MAIN}" "$@"; fi
echo "arguments: $*"
`,
  { mode: 0o755 },
);
const env = {
  PATH: `${bin}${delimiter}${process.env['PATH']}`,
  HOME: home.path,
  NODE_COMPILE_CACHE: CACHE,
};

/** Command lines and their completion, which has one candidate. */
const LINES = [
  ['doc', 'documents'],
  ['links list --st', 'links list --state'],
  ['links list --state ex', 'links list --state expired'],
  ['keys create x --scope links:', 'keys create x --scope links:write'],
] as const;

const missing = (shell: string) =>
  spawnSync(shell, ['--version']).error !== undefined && `${shell} is not installed`;

/** Writes the completion script of a shell. Returns its path. */
async function scriptFor(shell: string): Promise<string> {
  const { code, out } = await commandLine({ XDG_CONFIG_HOME: home.path }).run([
    'completion',
    shell,
  ]);
  assert.equal(code, 0);
  const file = join(home.path, `completion.${shell}`);
  writeFileSync(file, out);
  return file;
}

test('bash completes commands, options and values', { skip: missing('bash') }, async () => {
  const commands = ['links ', ...LINES.map(([line]) => line)].map(
    (words) =>
      `COMP_LINE='gatehouse ${words}'; COMP_POINT=\${#COMP_LINE}; _gatehouse; echo "\${COMPREPLY[*]}"`,
  );
  const script = `source '${await scriptFor('bash')}'\n${commands.join('\n')}`;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], { env, encoding: 'utf8' });
  assert.equal(stderr, '');
  assert.deepEqual(stdout.trimEnd().split('\n'), [
    'create list show revoke explain',
    'documents',
    '--state',
    'expired',
    // Bash replaces only the part after the colon.
    'write',
  ]);
});

test('zsh completes commands, options and values', {
  skip: missing('zsh') || NO_TERMINAL,
}, async () => {
  const prompt = 'ready> ';
  await using terminal = openTerminal('zsh -f -i', { ...env, PS1: prompt });
  const file = await scriptFor('zsh');
  await terminal.type(`autoload -U compinit; compinit -u -D; source '${file}'\r`, prompt);
  for (const [line] of LINES) await terminal.type(`gatehouse ${line}\t\r`, prompt);
  await terminal.type('exit\r', prompt);
  const { shown } = await terminal.end();
  assert.deepEqual(
    [...shown.matchAll(/^arguments: (.*?)\r*$/gm)].map(([, words]) => words),
    LINES.map(([, completed]) => completed),
  );
});

test('fish completes commands, options and values, and otherwise files', {
  skip: missing('fish'),
}, async () => {
  const lines = [...LINES.map(([line]) => line), 'documents push b'];
  const commands = lines.map((line) => `complete -C 'gatehouse ${line}'`);
  const script = `source '${await scriptFor('fish')}'\n${commands.join('\n')}`;
  const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', script], {
    cwd: home.path,
    env,
    encoding: 'utf8',
  });
  assert.equal(stderr, '');
  assert.deepEqual(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t')[0]),
    ['documents', '--state', 'expired', 'links:write', 'bin/'],
  );
});
