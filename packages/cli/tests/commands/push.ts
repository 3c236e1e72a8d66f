import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Document, Gatehouse } from '@gatehouse/client';
import { FORMATS } from '../../../server/src/knowledge/parsers/extractor.ts';
import { temporaryDirectory } from '../../../server/tests/support/services/service.ts';
import { until } from '../../../server/tests/support/until.ts';
import type { PushResult } from '../../src/push/push.ts';
import { EXTENSIONS } from '../../src/push/scan.ts';
import { CACHE, commandLine, MAIN } from '../command-line.ts';
import { token, url } from '../service.ts';
import { NO_TERMINAL, openTerminal } from '../terminal.ts';

const home = temporaryDirectory();
after(() => home[Symbol.dispose]());

/** Creates a space with a key, and a folder with files. */
async function newFolder(name: string, files: Readonly<Record<string, string | Buffer>>) {
  const { id: spaceId } = await new Gatehouse({ url, token }).spaces.create({ name });
  const gatehouse = new Gatehouse({ url, token, spaceId });
  const { key } = await gatehouse.apiKeys.create({ name, scopes: ['read', 'knowledge:write'] });
  const folder = join(home.path, name, 'wiki');
  const write = (path: string, content: string | Buffer) => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  for (const [path, content] of Object.entries(files)) write(path, content);
  const env = { GATEHOUSE_URL: url, GATEHOUSE_KEY: key, XDG_CONFIG_HOME: home.path };
  const cli = commandLine(env);
  const documents = async () => {
    const found: Document[] = [];
    for await (const document of gatehouse.documents.list({ limit: 200 })) found.push(document);
    return found;
  };
  const push = async (...args: string[]) =>
    Object.fromEntries(
      (await cli.json<PushResult>(['documents', 'push', folder, ...args])).map(({ key, state }) => [
        key,
        state,
      ]),
    );
  return {
    cli,
    env: { ...env, NODE_COMPILE_CACHE: CACHE },
    folder,
    write,
    gatehouse,
    documents,
    push,
  };
}

test('push reports names that are not valid UTF-8, uploads the other files and deletes nothing', async () => {
  const { cli, folder, write, push, documents } = await newFolder('names', {
    'gone.md': 'Gone',
    'kept.md': 'Kept',
  });
  await push();
  rmSync(join(folder, 'gone.md'));
  write('new.md', 'New');
  const latin1 = (path: string) => Buffer.from(join(folder, path), 'latin1');
  writeFileSync(latin1('caf\xe9.md'), 'Coffee');
  mkdirSync(latin1('men\xfc'));
  const { code, out, err } = await cli.run(['documents', 'push', folder, '--delete']);
  assert.equal(code, 1, err);
  assert.match(err, /2 of 4 files failed\. No document was deleted\./);
  assert.match(out, /^failed +wiki\/caf\ufffd\.md: The name is not valid UTF-8\. Rename it\.$/m);
  assert.match(out, /^failed +wiki\/men\ufffd: The name is not valid UTF-8\./m);
  const keys = (await documents()).map(({ key }) => key);
  assert.deepEqual(keys.sort(), ['wiki/gone.md', 'wiki/kept.md', 'wiki/new.md']);
});

test('push uploads the files of a folder by key, and then only changed files', async () => {
  const { push, write, documents } = await newFolder('changes', {
    'returns.md': '# Returns',
    'shipping/norway #1?.txt': 'Parcels take five days.',
    ['café/menü.txt'.normalize('NFD')]: 'Coffee',
  });
  const keys = ['wiki/café/menü.txt', 'wiki/returns.md', 'wiki/shipping/norway #1?.txt'];
  const all = (state: string) => Object.fromEntries(keys.map((key) => [key, state]));
  const metadata = ['--metadata', '{"department":"support"}', '--language', 'en'];
  assert.deepEqual(await push(...metadata), all('uploaded'));
  assert.deepEqual(await push(...metadata), all('unchanged'));
  const stored = await documents();
  assert.deepEqual(stored.map(({ key }) => key).sort(), keys);
  for (const document of stored) {
    assert.equal(document.metadata['department'], 'support');
    assert.equal(document.language, 'en');
  }
  write('returns.md', '# Returns within 60 days');
  assert.deepEqual(await push(...metadata, '--dry-run'), {
    ...all('unchanged'),
    'wiki/returns.md': 'would-upload',
  });
  assert.deepEqual(await push(...metadata), { ...all('unchanged'), 'wiki/returns.md': 'uploaded' });
  assert.deepEqual(await push('--metadata', '{"department":"sales"}'), all('uploaded'));
  assert.equal((await documents()).length, keys.length);
});

test('push --delete deletes only documents of earlier pushes of the same folder', async () => {
  const { push, folder, gatehouse, documents, cli } = await newFolder('deletions', {
    'a.txt': 'a',
    'b.txt': 'b',
  });
  await push();
  await gatehouse.documents.put('wiki/by-hand', { fileName: 'x.txt', text: 'not pushed' });
  await gatehouse.documents.create({ fileName: 'y.txt', text: 'without a key' });
  renameSync(join(folder, 'b.txt'), join(folder, 'c.txt'));
  assert.deepEqual(await push(), { 'wiki/a.txt': 'unchanged', 'wiki/c.txt': 'uploaded' });
  assert.equal((await push('--delete', '--dry-run'))['wiki/b.txt'], 'would-delete');
  assert.equal((await push('--delete'))['wiki/b.txt'], 'deleted');
  const keys = (await documents()).map(({ key }) => key);
  assert.deepEqual(keys.sort(), [null, 'wiki/a.txt', 'wiki/by-hand', 'wiki/c.txt'].sort());
  for (const name of ['a.txt', 'c.txt']) rmSync(join(folder, name));
  const { code, err } = await cli.run(['documents', 'push', folder, '--delete']);
  assert.equal(code, 66);
  assert.match(err, /would delete all 2 documents/);
  assert.equal((await documents()).length, 4);
});

test('push prints each problem of a rejected file once', async () => {
  const { cli, folder } = await newFolder('problems', { 'a.txt': 'a' });
  const wrong = ['--language', 'not a tag', '--metadata', '{"fileName":1}'];
  const { code, out } = await cli.run(['documents', 'push', folder, ...wrong]);
  assert.equal(code, 1);
  assert.match(out, /^failed {5}wiki\/a\.txt: The request has 2 problems: /);
  assert.equal(out.split('language: must be').length, 2, out);
  assert.equal(out.split('metadata.fileName: is a reserved').length, 2, out);
});

test('a push of a folder that does not exist says that it is not a folder', async () => {
  const { cli } = await newFolder('missing', {});
  const { code, err } = await cli.run(['documents', 'push', 'no-such-folder']);
  assert.equal(code, 66);
  assert.equal(
    err,
    'gatehouse: no-such-folder is not a folder. Name the folder that contains the documents.\n',
  );
});

test('push reports a result per file, and deletes nothing if a file failed', async () => {
  const { push, cli, folder, write, documents } = await newFolder('failures', { 'old.txt': 'old' });
  await push();
  rmSync(join(folder, 'old.txt'));
  write('good.txt', 'good');
  write('bad.pdf', 'not a PDF');
  write('huge.txt', Buffer.alloc(25 * 1024 * 1024 + 1, 'a'));
  write('image.png', 'ignored');
  write('.env', 'SECRET=1');
  symlinkSync('/etc/passwd', join(folder, 'passwd.txt'));
  const { code, out, err } = await cli.run(['documents', 'push', folder, '--delete']);
  assert.equal(code, 1);
  assert.match(out, /^uploaded {3}wiki\/good\.txt$/m);
  assert.match(out, /^failed {5}wiki\/bad\.pdf: .*PDF/m);
  assert.match(out, /^failed {5}wiki\/huge\.txt: The file is larger than 25 MiB\.$/m);
  assert.match(err, /2 failed, 1 uploaded|1 uploaded, 2 failed/);
  assert.match(err, /1 ignored \(format not supported\)/);
  assert.match(err, /2 of 3 files failed\. No document was deleted\./);
  // Colours and progress bars are only for terminals.
  assert.ok(!`${out}${err}`.includes('\u001b'));
  assert.deepEqual((await documents()).map(({ key }) => key).sort(), [
    'wiki/good.txt',
    'wiki/old.txt',
  ]);
});

test('a push that was killed in the middle is continued by running it again', async () => {
  const names = Array.from({ length: 60 }, (_, n) => `page-${String(n).padStart(2, '0')}.txt`);
  const { cli, folder, documents, push } = await newFolder(
    'crash',
    Object.fromEntries(names.map((name) => [name, `Text of ${name}`])),
  );
  const running = cli.inProcesses().start(['documents', 'push', folder, '--json']);
  await until('ten files are uploaded', () => running.out().split('\n').length > 10);
  running.kill('SIGKILL');
  assert.equal((await running.ended).code, null);
  const before = (await documents()).length;
  assert.ok(before >= 10 && before < names.length, `${before} documents`);
  const states = Object.values(await push());
  assert.equal(states.length, names.length);
  assert.ok(states.filter((state) => state === 'unchanged').length >= before);
  const keys = (await documents()).map(({ key }) => key);
  assert.deepEqual(
    keys.sort(),
    names.map((name) => `wiki/${name}`),
  );
});

test('documents are listed, shown and deleted by ID or key', async () => {
  const { cli, push } = await newFolder('listing', { 'a.txt': 'a', 'b.txt': 'b' });
  await push();
  const listed = await cli.json<Document>(['documents', 'list']);
  assert.deepEqual(listed.map(({ key }) => key).sort(), ['wiki/a.txt', 'wiki/b.txt']);
  const newest = await cli.json<Document>(['documents', 'list', '--order', 'newest']);
  // The other members change while the documents are indexed.
  const idOf = ({ id }: Document) => id;
  assert.deepEqual(newest.map(idOf), listed.toReversed().map(idOf));
  const [shown] = await cli.json<Document>(['documents', 'show', 'wiki/b.txt']);
  assert.equal(shown?.fileName, 'b.txt');
  const a = listed.find(({ key }) => key === 'wiki/a.txt');
  const { code, out } = await cli.run(['documents', 'delete', a?.id ?? '', 'wiki/b.txt']);
  assert.deepEqual([code, out], [0, 'Deleted wiki/a.txt.\nDeleted wiki/b.txt.\n']);
  const missing = await cli.run(['documents', 'show', 'wiki/a.txt']);
  assert.equal(missing.code, 65);
  assert.match(missing.err, /No document has the ID or key "wiki\/a\.txt"/);
});

test('documents are indexed again by ID or key, or all of them', async () => {
  const { cli, push } = await newFolder('again', { 'a.txt': 'a', 'b.txt': 'b' });
  await push();
  const listed = await cli.json<Document>(['documents', 'list']);
  const untilReady = async () => {
    for (;;) {
      const documents = await cli.json<Document>(['documents', 'list']);
      if (documents.every(({ state }) => state === 'ready')) return;
    }
  };
  await untilReady();
  const b = listed.find(({ key }) => key === 'wiki/b.txt')?.id ?? '';
  const some = await cli.run(['documents', 'retry', 'wiki/a.txt', b]);
  assert.deepEqual(
    [some.code, some.out],
    [0, 'Indexing wiki/a.txt again.\nIndexing wiki/b.txt again.\n'],
  );
  await untilReady();
  const all = await cli.run(['documents', 'retry', '--all']);
  // The files were uploaded at the same time, so the list can have either order.
  assert.deepEqual([all.code, all.out.split('\n').sort()], [0, some.out.split('\n').sort()]);
  assert.match(all.err, /2 documents will be indexed again/);
  await untilReady();
  for (const wrong of [[], ['--all', b]])
    assert.equal((await cli.run(['documents', 'retry', ...wrong])).code, 64);
});

test('push shows a progress bar on a terminal', { skip: NO_TERMINAL }, async () => {
  const { folder, env } = await newFolder('bar', { 'a.txt': 'a', 'b.txt': 'b' });
  const command = `${process.execPath} ${MAIN} documents push ${folder} --parallel 1`;
  await using terminal = openTerminal(command, env);
  const { code, shown } = await terminal.end();
  assert.equal(code, 0, shown);
  assert.match(shown, /█{15}░{15} 1\/2 wiki\/a\.txt/);
  assert.match(shown, /█{30} 2\/2 wiki\/b\.txt/);
  const [wrapOff, wrapOn] = ['\u001b[?7l', '\u001b[?7h'];
  assert.ok(shown.includes(`${wrapOff}${'█'.repeat(30)} 2/2 wiki/b.txt${wrapOn}`), shown);
  await using dumb = openTerminal(`${command} --prefix dumb/`, { ...env, TERM: 'dumb' });
  assert.ok(!(await dumb.end()).shown.includes('\u001b'));
});

test('push uploads the same formats as the service indexes', () => {
  const extensions: string[] = FORMATS.flatMap((format) => [...format.extensions]);
  assert.deepEqual([...EXTENSIONS].sort(), extensions.sort());
});
