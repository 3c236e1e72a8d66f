import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  type AccessPreview,
  type ApiKey,
  type CreatedApiKey,
  type CreatedLink,
  type Explanation,
  Gatehouse,
  type Link,
} from '@gatehouse/client';
import { ADMIN, temporaryDirectory } from '../../../server/tests/support/services/service.ts';
import { commandLine } from '../command-line.ts';
import { token, url } from '../service.ts';

const home = temporaryDirectory();
after(() => home[Symbol.dispose]());
const bare = commandLine({ XDG_CONFIG_HOME: home.path, GATEHOUSE_URL: url });
// Login selects a space only if there is no other.
for (const name of ['One', 'Two']) await new Gatehouse({ url, token }).spaces.create({ name });
await bare.run(['login', '--email', ADMIN.email], ADMIN.password);
const [space] = await bare.json<{ id: string }>(['spaces', 'create', 'Shop']);
const spaceId = space?.id ?? '';
const cli = bare.with({ GATEHOUSE_SPACE: spaceId });
const gatehouse = new Gatehouse({ url, token, spaceId });
const [support] = await Promise.all(
  (['support', 'sales', 'board'] as const).map((department) =>
    gatehouse.documents.put(`wiki/${department}`, {
      fileName: `${department}.txt`,
      text: `About ${department}`,
      title: department === 'board' ? 'Board \u001b[31m\u202e' : `About ${department}`,
      metadata: { department },
    }),
  ),
);

test('spaces are created, listed, shown and selected', async () => {
  const [other] = await cli.json<{ id: string }>(['spaces', 'create', 'Trial']);
  const listed = await bare.json<{ id: string; name: string }>(['spaces', 'list', '--all']);
  assert.ok(listed.some(({ name }) => name === 'Trial'));
  const ambiguous = await bare.run(['links', 'list']);
  assert.equal(ambiguous.code, 78);
  assert.match(ambiguous.err, /several spaces\. Select one with --space <id>/);
  assert.equal((await bare.run(['spaces', 'use', other?.id ?? ''])).code, 0);
  const { out } = await bare.run(['spaces', 'show']);
  assert.match(out, /^name: +Trial$/m);
  const limited = await bare.run(['spaces', 'list', '--limit', '1']);
  assert.equal(limited.out.trim().split('\n').length, 2);
  assert.match(limited.err, /There are more\. Use --limit <n> or --all\./);
});

test('the error of a rejected request names options and arguments instead of members', async () => {
  const problemsOf = async (args: readonly string[]) => {
    const { code, err } = await cli.run(args);
    assert.equal(code, 65, err);
    return /^gatehouse: The request has .*?: (.*)\.\n/.exec(err)?.[1] ?? err;
  };
  assert.equal(
    await problemsOf(['links', 'create', '--ttl', '5s']),
    '--ttl in seconds: must be at least 60',
  );
  const filter = '{"team":{"is":"a"}}';
  const body = '{"permissionFilter":{},"colour":1}';
  const several = ['links', 'create', '--permission-filter', filter, '--body', body];
  assert.match(
    await problemsOf(several),
    /^colour: unknown member; team\.is in --permission-filter: unknown operator/,
  );
  assert.match(
    await problemsOf(['links', 'create', '--body', '{"ttlSeconds":1}']),
    /^ttlSeconds: /,
  );
  assert.match(await problemsOf(['links', 'show', 'x']), /^<link-id>: must be a UUID/);
  assert.match(await problemsOf(['links', 'list', '--space', 'x']), /^--space: must be a UUID/);
  const expired = ['keys', 'create', 'ci', '--scope', 'read', '--expires-in', '0s'];
  assert.equal(await problemsOf(expired), '--expires-in: must be in the future');
  assert.match(
    await problemsOf(['api', 'GET', '/spaces/{spaceId}/documents', '--query', 'limit=x']),
    /^limit: must be an integer/,
  );
});

test('an empty --sub, as of a variable that is not set, creates no link', async () => {
  const { code, out, err } = await cli.run(['links', 'create', '--sub', '']);
  assert.deepEqual([code, out], [64, ''], err);
  assert.match(err, /omit --sub/);
});

test('links are created with a filter from a file, listed, shown and revoked', async () => {
  const file = join(home.path, 'filter.json');
  writeFileSync(file, '{ "department": { "eq": "support" } }');
  const created = await cli.run([
    ...['links', 'create', '--sub', 'customer-42', '--ttl', '15m'],
    ...['--permission-filter', `@${file}`],
  ]);
  assert.equal(created.code, 0);
  assert.match(created.out, /^http:\/\/.*\/widget\/[\w-]{43}\n$/);
  const [link] = await cli.json<Link>(['links', 'list', '--sub', 'customer-42']);
  assert.equal(link?.state, 'active');
  assert.ok(Math.abs((link?.exp ?? 0) - Date.now() / 1000 - 900) < 60);
  const { out } = await cli.run(['links', 'show', link?.id ?? '']);
  assert.match(out, /"permissionFilter":\{"department":\{"eq":"support"\}\}/);
  assert.equal((await cli.run(['links', 'revoke', link?.id ?? ''])).code, 0);
  assert.equal((await gatehouse.links.get(link?.id ?? '')).state, 'revoked');
  await cli.json<CreatedLink>([
    'links',
    'create',
    '--sub',
    'customer-43',
    '--body',
    '{"features":{"chatHistory":false}}',
  ]);
  const revoked = await cli.run(['links', 'revoke', '--sub', 'customer-43']);
  assert.equal(revoked.out, 'Revoked 1 link of customer-43.\n');
});

test('links explain prints what a link shows, and why it hides a document', async () => {
  const filter = '{"department":{"eq":"support"}}';
  await cli.run(['links', 'create', '--permission-filter', filter, '--sub', 'explained']);
  const [link] = await cli.json<Link>(['links', 'list', '--sub', 'explained']);
  const id = link?.id ?? '';
  const [preview] = await cli.json<AccessPreview>(['links', 'explain', id]);
  assert.deepEqual([preview?.visibleCount, preview?.hiddenCount], [1, 2]);
  const { out } = await cli.run(['links', 'explain', id]);
  assert.match(out, /^The link shows 1 of 3 documents\.$/m);
  assert.match(out, new RegExp(`${support?.id} +wiki/support +About support`));
  const hidden = await cli.run(['links', 'explain', id, '--document', 'wiki/sales']);
  assert.match(hidden.out, /The link hides "About sales"\./);
  assert.match(hidden.out, /false +\/permissionFilter\/department\/eq .*document: sales/);
  const [shown] = await cli.json<Explanation>([
    'links',
    'explain',
    id,
    '--document',
    support?.id ?? '',
  ]);
  assert.equal(shown?.visible, true);
  const byFilter = await cli.run([
    'links',
    'explain',
    '--permission-filter',
    '{}',
    '--sample',
    '0',
  ]);
  assert.match(byFilter.out, /shows 3 of 3 documents\.\nand 3 more/);
});

test('text of documents cannot control the terminal', async () => {
  const { out } = await cli.run(['links', 'explain', '--permission-filter', '{}']);
  assert.match(out, /Board/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the output must have none.
  assert.doesNotMatch(out, /[\u001b\u202e]/);
});

test('names of spaces and keys of documents cannot control the terminal', async () => {
  const red = 'red \u001b[31m\u202e';
  const { id } = await gatehouse.spaces.create({ name: red });
  const used = await bare.run(['spaces', 'use', id]);
  assert.equal(used.out, 'Commands now use the space red \ufffd[31m\ufffd.\n');
  await gatehouse.documents.put(red, { fileName: 'red.txt', text: 'red' });
  const deleted = await cli.run(['documents', 'delete', red]);
  assert.equal(deleted.out, 'Deleted red \ufffd[31m\ufffd.\n');
});

test('a key is printed once, and works until it is revoked', async () => {
  const [created] = await cli.json<CreatedApiKey>([
    ...['keys', 'create', 'backend', '--scope', 'read', 'links:write', '--expires-in', '30d'],
  ]);
  const withKey = bare.with({ GATEHOUSE_KEY: created?.key ?? '' });
  assert.equal((await withKey.run(['links', 'list'])).code, 0);
  const { out } = await cli.run(['keys', 'list']);
  assert.ok(out.includes(created?.prefix ?? '-') && !out.includes(created?.key ?? ''));
  const [listed] = await cli.json<ApiKey>(['keys', 'list']);
  assert.deepEqual(listed?.scopes.toSorted(), ['links:write', 'read']);
  assert.equal((await cli.run(['keys', 'revoke', created?.id ?? ''])).code, 0);
  const revoked = await withKey.run(['links', 'list']);
  assert.equal(revoked.code, 77);
  assert.match(revoked.err, /This API key is unknown, expired or revoked\./);
  assert.ok(!revoked.err.includes(created?.key ?? ''));
});

test('errors of the service have an exit code and, with --json, a code and the request', async () => {
  const missing = await cli.run(['links', 'show', '0199f3a2-8e30-7d12-a5b6-c7d8e9f0a1b2']);
  assert.equal(missing.code, 65);
  const invalid = await cli.run([
    'links',
    'create',
    '--permission-filter',
    '{"a":{"eqq":1}}',
    '--json',
  ]);
  assert.deepEqual([invalid.code, invalid.out], [65, '']);
  const { error } = JSON.parse(invalid.err);
  assert.match(error.message + error.issues[0].message, /eqq/);
  assert.ok(error.code.length > 0 && error.requestId.length > 0);
  const text = await cli.run(['links', 'create', '--permission-filter', '{"a":{"eqq":1}}']);
  assert.equal(text.err.split('eqq').length, 2, text.err);
});

test('an unknown command or option suggests the nearest name', async () => {
  for (const [args, hint] of [
    [['lniks', 'list'], /unknown command 'lniks'.*Did you mean links\?/s],
    [['links', 'lst'], /unknown command 'lst'.*Did you mean list\?/s],
    [['links', 'list', '--limti', '3'], /unknown option '--limti'.*Did you mean --limit\?/s],
    [['links', 'create', '--filter', '[]'], /Use a JSON object, such as {"department":{"eq":/],
    [['links', 'create', '--body', '[]'], /such as {"systemPromptInsertion":/],
    [
      ['documents', 'push', '.', '--metadata', '1.0'],
      /Use a JSON object, such as {"department":"support"}/,
    ],
    [['links', 'create', '--ttl', 'soon'], /--ttl.*invalid\. Use seconds or a unit/s],
    [['keys', 'create', 'x', '--scope', 'write'], /Allowed choices are links:write/],
    [['links', 'revoke'], /either the ID of a link or --sub/],
    [['links'], /Usage: gatehouse links/],
  ] as const) {
    const { code, out, err } = await cli.run(args);
    assert.deepEqual([code, out], [64, ''], args.join(' '));
    assert.match(err, hint);
  }
});
