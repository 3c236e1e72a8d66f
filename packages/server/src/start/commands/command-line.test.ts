import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { newEmptyDatabase } from '../../storage/postgres/database.suite.ts';
import { lockDirectory } from '../../storage/sqlite/directory-lock.ts';
import {
  openStore as openSqlite,
  temporaryDirectory,
} from '../../storage/sqlite/open-store.suite.ts';
import { runCommandLine } from './command-line.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-cli-'));
after(() => rmSync(dataDir, { recursive: true }));

async function run(args: readonly string[], env: Record<string, string> = {}) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCommandLine(
    args,
    { GATEHOUSE_DATA_DIR: dataDir, ...env },
    { say: (line) => out.push(line), report: (line) => err.push(line) },
  );
  return { code, out: out.join('\n'), err: err.join('\n') };
}

test('help lists all commands, and each command has help', async () => {
  const { code, out, err } = await run(['--help']);
  assert.deepEqual([code, err], [0, '']);
  const names = [...out.matchAll(/^ {2}(\S+) /gm)].map(([, name = '']) => name);
  assert.ok(names.includes('rotate-signing-key'));
  for (const name of names) {
    const help = await run([name, '--help']);
    assert.deepEqual([help.code, help.err], [0, '']);
    assert.match(help.out, new RegExp(`^npm run gatehouse -- ${name}( |\\n)`));
    assert.deepEqual(await run(['help', name]), help);
    assert.deepEqual(await run([name, '-h']), help);
  }
  for (const asked of ['help', '-h']) assert.equal((await run([asked])).out, out);
  assert.equal((await run([])).code, 64);
});

test('the error for wrong usage refers to the help', async () => {
  for (const args of [
    ['rotate'],
    ['rotate-signing-key', '--atonce'],
    ['rotate-signing-key', 'now'],
    ['backup', 'a', 'b'],
    ['backup', 'a', '--to', 'b'],
    ['backup', '--to'],
    ['copy', '--nonsense', 'a'],
    ['--at-once'],
  ]) {
    const { code, out, err } = await run(args);
    assert.deepEqual([code, out], [64, ''], args.join(' '));
    assert.match(err, /^gatehouse: .*--help$/);
  }
});

test('the error for a misspelt command or option suggests the nearest name', async () => {
  for (const [args, hint] of [
    [['bakcup', 'a'], 'did you mean backup?'],
    [['rotate'], 'did you mean rotate-signing-key?'],
    [['backup', 'a', '--chekc'], 'did you mean --check?'],
    [['copy', '--form=a', 'b'], 'did you mean --from?'],
  ] as const)
    assert.ok((await run(args)).err.includes(hint), hint);
});

test('commands report invalid settings in the same way as the service at startup', async () => {
  const { code, err } = await run(['rotate-signing-key'], { GATEHOUSE_PORT: 'http' });
  assert.equal(code, 78);
  assert.match(err, /^gatehouse: GATEHOUSE_PORT: /);
});

test('commands report a data directory that has no database or is in use', async () => {
  for (const command of ['rotate-signing-key', 'replace-secret']) {
    const none = await run([command], { GATEHOUSE_DATA_DIR: join(dataDir, 'none') });
    assert.deepEqual([none.code, none.out], [78, '']);
    assert.match(none.err, /^gatehouse: there is no database in .*none; set GATEHOUSE_DATA_DIR/);
    assert.ok(!existsSync(join(dataDir, 'none')), command);
  }
  const busy = join(dataDir, 'busy');
  mkdirSync(busy);
  writeFileSync(join(busy, 'gatehouse.db'), '');
  using _ = lockDirectory(busy);
  const used = await run(['replace-secret'], { GATEHOUSE_DATA_DIR: busy });
  assert.equal(used.code, 75);
  assert.match(used.err, /another Gatehouse is running/);
});

test('with --json, the result and the error are JSON', async () => {
  const { code, out, err } = await run(['backup', '--json'], { GATEHOUSE_DATA_DIR: dataDir });
  assert.deepEqual([code, out], [64, '']);
  const message = 'the target is missing; name a directory that does not exist: backup <directory>';
  assert.deepEqual(JSON.parse(err), {
    error: { code: 'operator.wrong-use', message, issues: [{ message }] },
  });
});

test('the copy command reports a missing target, and a source that cannot be opened', async () => {
  const without = await run(['copy']);
  assert.deepEqual([without.code, without.out], [64, '']);
  assert.match(without.err, /the target is missing; .*: copy <target>/);
  const target = join(dataDir, 'target');
  const empty = await run(['copy', '--from', join(dataDir, 'none'), '--to', target]);
  assert.equal(empty.code, 78);
  assert.match(empty.err, /there is no database in .*none/);
  assert.ok(!existsSync(target));
  assert.equal((await run(['copy', target, '--from', join(dataDir, 'none')])).err, empty.err);
  const away = await run(['copy', '--from', 'postgres://u:hunter2@127.0.0.1:1/x', '--to', target]);
  assert.equal(away.code, 75);
  assert.match(away.err, /cannot be reached/);
  assert.ok(!away.err.includes('hunter2'));
});

test('the copy command ends with exit code 78 if the target contains a finished copy or other data', {
  skip: postgresIsMissing,
}, async () => {
  using from = temporaryDirectory();
  using other = temporaryDirectory();
  for (const { path } of [from, other]) {
    await using store = await openSqlite(path);
    await addSpace(store, randomUUID());
  }
  const url = await newEmptyDatabase();
  const copy = ({ path }: { path: string }) => run(['copy', url, '--from', path]);
  assert.equal((await copy(from)).code, 0);
  const again = await copy(from);
  assert.deepEqual([again.code, again.out], [78, '']);
  assert.match(
    again.err,
    /already contains this copy, complete and compared; start services on it, or empty it to copy again/,
  );
  const foreign = await copy(other);
  assert.deepEqual([foreign.code, foreign.out], [78, '']);
  assert.match(foreign.err, /contains a copy of another installation; empty it first/);
});

test('the copy command says whether an argument or the setting names an unreachable database', async () => {
  const url = 'postgres://u@127.0.0.1:1/x';
  const setting = {
    GATEHOUSE_DATABASE_URL: url,
    GATEHOUSE_SECRET: Buffer.alloc(32).toString('base64'),
  };
  const target = join(dataDir, 'target');
  for (const [args, env, name] of [
    [[target, '--from', url], {}, 'the source'],
    [[target], setting, 'GATEHOUSE_DATABASE_URL'],
  ] as const) {
    const { code, err } = await run(['copy', ...args], env);
    assert.equal(code, 75);
    assert.match(err, new RegExp(`^gatehouse: ${name}: the database server cannot be reached`));
  }
});

test('the copy command rejects a URL that is not of PostgreSQL without repeating its password', async () => {
  for (const url of ['postgre://u:hunter2@host/db', 'mysql://u:hunter2@host/db'])
    for (const args of [
      ['copy', url],
      ['copy', join(dataDir, 'target'), '--from', url],
    ]) {
      const { code, out, err } = await run(args);
      assert.deepEqual([code, out], [64, ''], err);
      assert.match(err, /is not a URL of PostgreSQL/);
      assert.ok(!err.includes('hunter2'));
    }
  assert.ok(!existsSync('postgre:') && !existsSync('mysql:'));
});
