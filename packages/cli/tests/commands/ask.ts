import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type CreatedLink, Gatehouse, type SpaceConversation } from '@gatehouse/client';
import { startFakeModel } from '../../../server/tests/support/assistant/fake-model.ts';
import { makeLink } from '../../../server/tests/support/provision.ts';
import { ADMIN, temporaryDirectory } from '../../../server/tests/support/services/service.ts';
import { startServiceWithSpace } from '../../../server/tests/support/services/service-with-space.ts';
import { until } from '../../../server/tests/support/until.ts';
import { OPERATOR_COMMANDS } from '../../src/commands/admin.ts';
import { commandLine, parseAll } from '../command-line.ts';
import { dataDir, token, url } from '../service.ts';

const home = temporaryDirectory();
after(() => home[Symbol.dispose]());
const { id: spaceId } = await new Gatehouse({ url, token }).spaces.create({ name: 'Shop' });
const gatehouse = new Gatehouse({ url, token, spaceId });
const cli = commandLine({
  XDG_CONFIG_HOME: home.path,
  GATEHOUSE_URL: url,
  GATEHOUSE_SPACE: spaceId,
});
await cli.run(['login', '--email', ADMIN.email], ADMIN.password);
for (const [name, text] of [
  ['refunds', 'A refund takes five working days after we receive the parcel.'],
  ['board', 'The refund budget of the board is secret.'],
] as const)
  await gatehouse.documents.put(name, {
    fileName: `${name}.md`,
    markdown: `# About ${name}\n\n${text}`,
    title: `About ${name}`,
    url: `https://shop.example/${name}`,
    metadata: { department: name },
  });
await until('the documents are searchable', async () => {
  const { items } = await gatehouse.documents.list({ state: 'ready' });
  return items.length === 2;
});
const [link] = await cli.json<CreatedLink>([
  ...['links', 'create', '--sub', 'ada', '--permission-filter', '{"department":{"eq":"refunds"}}'],
]);
const asked = await cli.run(['ask', '--link', link?.url ?? '', 'How', 'long does a refund take?']);

test('ask prints the answer with its citations, from documents that the link shows', () => {
  assert.deepEqual([asked.code, asked.err], [0, '']);
  assert.match(asked.out, /five working days/);
  assert.match(asked.out, /^\[1\] About refunds.* · https:\/\/shop\.example\/refunds$/m);
  assert.doesNotMatch(asked.out, /secret|board/);
});

test('ask needs no sign-in, and continues a conversation', async () => {
  const guest = commandLine({
    XDG_CONFIG_HOME: join(home.path, 'guest'),
    GATEHOUSE_LINK: link?.url ?? '',
  });
  type Answer = { conversationId: string; citations: readonly object[] };
  const [first] = await guest.json<Answer>(['ask', 'How long does a refund take?']);
  assert.partialDeepStrictEqual(first?.citations, [{ number: 1, title: 'About refunds' }]);
  const conversation = first?.conversationId ?? '';
  const [second] = await guest.json<Answer>([
    'ask',
    'And a parcel?',
    '--conversation',
    conversation,
  ]);
  assert.equal(second?.conversationId, conversation);
  const missing = await cli.run(['ask', 'Hello?']);
  assert.equal(missing.code, 64);
  assert.match(missing.err, /"gatehouse links create" creates a link/);
  await gatehouse.links.revokeAll({ sub: 'ada' });
  const revoked = await guest.run(['ask', 'Hello?']);
  assert.equal(revoked.code, 65);
  assert.match(revoked.err, /revoked/);
});

test('the error about an empty question names the argument', async () => {
  const { url: ownLink } = await gatehouse.links.create({ sub: 'grace', permissionFilter: {} });
  const { code, err } = await cli.run(['ask', '--link', ownLink, ' ']);
  assert.equal(code, 65, err);
  assert.match(err, /<question>: must contain text/);
});

test('ask reports the code of a failed answer', async () => {
  await using model = await startFakeModel();
  model.behave({ does: 'drop', pieces: ['A refund takes'] });
  const env = { GATEHOUSE_MODEL_URL: model.url, GATEHOUSE_MODEL_NAME: 'fake' };
  await using running = await startServiceWithSpace({ env });
  const made = await makeLink(running.client, running.session, { spaceId: running.space.id });
  const { code, err } = await cli.run(['ask', '--json', '--link', made.url, 'How long?']);
  assert.equal(code, 1);
  assert.partialDeepStrictEqual(JSON.parse(err), { error: { code: 'chat.answer-broken' } });
});

test('conversations are listed, shown and exported', async () => {
  const listed = await cli.json<SpaceConversation>(['conversations', 'list', '--sub', 'ada']);
  assert.equal(listed.length, 2);
  const { out } = await cli.run(['conversations', 'show', listed.at(-1)?.id ?? '']);
  assert.match(out, /^User: ada$/m);
  assert.match(out, /How long does a refund take\?\n\nassistant · .*\n(.*\n)+\[1\] About refunds/);
  const lines = parseAll<{ role: string }>((await cli.run(['conversations', 'export'])).out);
  assert.equal(lines.filter(({ role }) => role === 'user').length, 3);
  const file = join(home.path, 'export.csv');
  const exported = await cli.run(['conversations', 'export', '--format', 'csv', '--output', file]);
  assert.equal(exported.code, 0);
  assert.match(readFileSync(file, 'utf8'), /five working days/);
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('admin runs the commands of the server, which also have their old names', async () => {
  const operator = cli.with({ GATEHOUSE_DATA_DIR: dataDir });
  const help = await operator.run(['admin', '--help']);
  const names = [...help.out.matchAll(/^ {2}(\S+) {2}/gm)].map(([, name]) => name);
  assert.deepEqual(names, Object.keys(OPERATOR_COMMANDS));
  assert.match(help.out, /^Usage: gatehouse admin <command>/);
  for (const args of [['admin', 'setup-link'], ['setup-link']]) {
    const { code, err } = await operator.run(args);
    assert.equal(code, 64);
    assert.match(err, /^gatehouse: an administrator exists/);
  }
  const target = join(home.path, 'backup');
  const { code, out } = await operator.inProcesses().run(['backup', target]);
  assert.deepEqual([code, existsSync(join(target, 'gatehouse.db'))], [0, true], out);
  const again = join(home.path, 'again');
  const [backup] = await operator.json<object>(['admin', 'backup', again, '--check']);
  assert.partialDeepStrictEqual(backup, { directory: again, isChecked: true });
  const existing = await operator.run(['admin', 'backup', again, '--json']);
  assert.equal(existing.code, 64);
  assert.match(JSON.parse(existing.err).error.message, /already exists/);
  const wrong = await operator.run(['admin', 'bakcup']);
  assert.equal(wrong.code, 64);
  assert.match(wrong.err, /did you mean backup\?; see: gatehouse admin --help/);
});

test('ask reads the question from standard input if it is -', async () => {
  const [own] = await cli.json<CreatedLink>(['links', 'create']);
  const args = ['ask', '--link', own?.url ?? '', '-'];
  const { code, out } = await cli.run(args, 'How long does a refund take?\n');
  assert.equal(code, 0);
  assert.match(out, /five working days/);
  const empty = await cli.run(args, '\n');
  assert.equal(empty.code, 66);
  assert.match(empty.err, /^gatehouse: Standard input contains no question/);
});
