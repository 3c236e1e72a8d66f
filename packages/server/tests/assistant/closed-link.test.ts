import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { readMatrix } from '../identity/authorization/matrix.ts';
import { requestOf } from '../identity/authorization/requests.ts';
import { serviceOfThisFile } from '../support/file-service.ts';
import { addDocument } from '../support/knowledge.ts';
import { exchangeLink, makeLink, makeSpace, signIn } from '../support/provision.ts';

/*
 * The seam that every surface of knowledge goes through. A new route needs a row in the matrix, and
 * with that it is walked here; a new file that names a table of knowledge has to be let in below.
 */

const MARKER = 'unspeakable';
const { bareClient: client } = await serviceOfThisFile();
const session = await signIn(client);

test('a link whose filter hides all is shown nothing of a document by any route', async () => {
  const { id: spaceId, botId } = await makeSpace(client, session);
  const document = await addDocument(client, session, spaceId, {
    fileName: `${MARKER}.txt`,
    text: `The ${MARKER} target.`,
    metadata: { word: MARKER },
  });
  const closed = { spaceId, permissionFilter: { or: [] } };
  const link = await makeLink(client, session, closed);
  const as = await exchangeLink(client, link.token);
  const targets = {
    spaceId,
    botId,
    linkId: link.id,
    linkToken: link.token,
    keyId: '0199f3a2-0000-7000-8000-000000000000',
    userId: '0199f3a2-0000-7000-8000-000000000000',
    sourceId: '0199f3a2-0000-7000-8000-000000000000',
    subscriptionId: '0199f3a2-0000-7000-8000-000000000000',
    deliveryId: 'msg_0199f3a2000070008000000000000000_1',
    documentId: document.id,
    documentEventId: '0199f3a2-0000-7000-8000-000000000000',
    conversationId: '0199f3a2-0000-7000-8000-000000000000',
    messageId: '0199f3a2-0000-7000-8000-000000000000',
  };
  const statuses: number[] = [];
  for (const { name } of readMatrix()) {
    const { path, ...send } = requestOf(name, targets);
    const answer = await client(path, { ...send, as });
    const whole = `${JSON.stringify([...answer.headers])}${answer.text}`;
    assert.doesNotMatch(whole, new RegExp(MARKER), name);
    statuses.push(answer.status);
  }
  assert.ok(statuses.includes(200) && statuses.includes(404));
  const open = await exchangeLink(client, (await makeLink(client, session, { spaceId })).token);
  const shown = await client(`/spaces/${spaceId}/documents/${document.id}`, { as: open });
  assert.match(
    shown.text,
    new RegExp(MARKER),
    'an open link sees it, so the marker would be noticed',
  );
});

const SOURCE = join(import.meta.dirname, '../../src');
const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !/\.(test|suite)\.ts$/.test(file))
  .map((file) => ({
    file: relative('.', file),
    text: code(readFileSync(join(SOURCE, file), 'utf8')),
  }));

function code(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
}

function filesWith(pattern: RegExp): string[] {
  return files
    .filter(({ text }) => pattern.test(text))
    .map(({ file }) => file)
    .sort();
}

test('a scope is made in one place, from a caller or a link', () => {
  assert.deepEqual(filesWith(/new KnowledgeScope\(/), ['knowledge/search/scope.ts']);
});

test('the tables of knowledge are named where a scope is asked for, and nowhere else', () => {
  const tables =
    /(\b(from|join|into|table|update)\s+|(From|Join|Into|Table)\(')(documents|document_\w+|passages\w*)\b|sql`documents`/;
  // Whole installations are copied by the operator, who holds both databases.
  const allowed =
    /^(storage\/(sqlite|postgres)\/(knowledge|copy)\/|storage\/migrations\/|knowledge\/.*\.repository\.ts$)/;
  const found = filesWith(tables);
  assert.ok(found.length > 0);
  assert.deepEqual(
    found.filter((file) => !allowed.test(file)),
    [],
  );
});

test('a search by vectors names the scope where it reads them, and again where it reads texts', () => {
  const engines = {
    'sqlite/knowledge/vectors/nearest.ts': { condition: 'vectors/nearest.ts', reads: 4 },
    'postgres/knowledge/vectors/nearest.ts': { condition: 'scope-documents.ts', reads: 2 },
  };
  for (const [file, { condition, reads }] of Object.entries(engines)) {
    const engine = `storage/${file.replace('vectors/nearest.ts', '')}`;
    assert.match(
      textOf(`${engine}${condition}`),
      /sql<boolean>`documents\.space_id = \$\{scope\.spaceId\} and .*\$\{permits\(scope\)\}`/,
    );
    const found = readsOfDocuments(textOf(`storage/${file}`));
    assert.equal(found.length, reads);
    for (const read of found) assert.match(read, /^[^`]*\$\{visible\(scope\)\}/);
  }
});

test('a search by words on PostgreSQL names the scope where it ranks, and wherever else it looks at documents', () => {
  for (const [name, reads] of [
    ['search.ts', 2],
    ['ranking.ts', 1],
  ] as const) {
    const found = readsOfDocuments(textOf(`storage/postgres/knowledge/${name}`));
    assert.equal(found.length, reads);
    for (const read of found) assert.match(read, /^[^`]*\$\{visible\(scope\)\}/);
  }
});

function textOf(file: string): string {
  return files.find((one) => one.file === file)?.text ?? assert.fail(file);
}

/** From behind the word `select` or `with` of each statement on. */
function readsOfDocuments(text: string): string[] {
  return text
    .split(/\bsql`\s*(?:select|with)/)
    .slice(1)
    .filter((part) => /^[^`]*\bdocuments\b/.test(part));
}

test('every read of the repository that shows documents names the scope', () => {
  const { text = '' } =
    files.find(({ file }) => file === 'knowledge/documents/document.repository.ts') ?? {};
  assert.equal([...text.matchAll(/selectFrom\(|sql`\s*(select|with)/g)].length, 1);
  assert.match(
    text,
    /selectFrom\(sql<DocumentRow>`\$\{likely\}`\.as\('documents'\)\)\s*\.where\('documents\.space_id', '=', scope\.spaceId\)\s*\.where\(engine\.permits\(scope\)\)/,
  );
});

test('where to look for documents is asked by those alone who then ask whether they lie in the scope', () => {
  assert.deepEqual(filesWith(/\.likelyDocuments\(/), [
    'knowledge/documents/document.repository.ts',
  ]);
  assert.deepEqual(filesWith(/(?<!\.)\blikelyDocuments\(scope, /), [
    // Gives it to those above.
    'storage/postgres/knowledge/engine.ts',
    // Both are looked at further above.
    'storage/postgres/knowledge/search.ts',
    'storage/postgres/knowledge/vectors/nearest.ts',
  ]);
});
