import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { readMatrix } from '../identity/authorization/matrix.ts';
import { requestOf } from '../identity/authorization/requests.ts';
import { addDocument } from '../support/knowledge/knowledge.ts';
import { exchangeLink, makeLink, makeSpace, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

/*
 * These tests check that all access to knowledge is restricted to a scope. The first test calls every route in the
 * authorization matrix. The other tests restrict which source files may access knowledge tables.
 */

const MARKER = 'unspeakable';
const { bareClient: client } = await serviceOfThisFile();
const session = await signIn(client);

test('no route reveals a document to a link whose filter matches nothing', async () => {
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
    version: '1',
    crawlId: '0199f3a2-0000-7000-8000-000000000000',
    documentEventId: '0199f3a2-0000-7000-8000-000000000000',
    toolId: '0199f3a2-0000-7000-8000-000000000000',
    callId: '0199f3a2-0000-7000-8000-000000000000',
    projectionId: '0199f3a2-0000-7000-8000-000000000000',
    chatId: 'unknown',
    conversationId: '0199f3a2-0000-7000-8000-000000000000',
    messageId: '0199f3a2-0000-7000-8000-000000000000',
    sessionId: '0199f3a2-0000-7000-8000-000000000000',
    invitationId: '0199f3a2-0000-7000-8000-000000000000',
    oneTimeToken: 'unknown',
  };
  const statuses: number[] = [];
  for (const { name } of readMatrix()) {
    const { path, ...send } = requestOf(name, targets);
    const answer = await client(path, { ...send, as });
    const response = `${JSON.stringify([...answer.headers])}${answer.text}`;
    assert.doesNotMatch(response, new RegExp(MARKER), name);
    statuses.push(answer.status);
  }
  assert.ok(statuses.includes(200) && statuses.includes(404));
  const open = await exchangeLink(client, (await makeLink(client, session, { spaceId })).token);
  const shown = await client(`/spaces/${spaceId}/documents/${document.id}`, { as: open });
  assert.match(
    shown.text,
    new RegExp(MARKER),
    'an open link sees the marker, so the test would detect it',
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

test('only one source file creates knowledge scopes', () => {
  assert.deepEqual(filesWith(/new KnowledgeScope\(/), ['knowledge/search/scope.ts']);
});

test('only source files that require a scope access knowledge tables', () => {
  const tables =
    /(\b(from|join|into|table|update)\s+|(From|Join|Into|Table)\(')(documents|document_\w+|passages\w*)\b|sql`documents`/;
  // The operator uses this file to copy whole installations and has access to both databases.
  const allowed =
    /^(storage\/(sqlite|postgres)\/(knowledge|copy)\/|storage\/migrations\/|knowledge\/.*\.repository\.ts$)/;
  const found = filesWith(tables);
  assert.ok(found.length > 0);
  assert.deepEqual(
    found.filter((file) => !allowed.test(file)),
    [],
  );
});

test('every search statement that reads documents applies the scope', () => {
  const searches = {
    'sqlite/knowledge/scope-selects.ts': 3,
    'postgres/knowledge/scope/scope-selects.ts': 3,
    'postgres/knowledge/documents/passages.ts': 2,
  };
  for (const [file, reads] of Object.entries(searches)) {
    const found = readsOfDocuments(textOf(`storage/${file}`));
    assert.equal(found.length, reads, file);
    // `condition` and `mayBeVisible` select candidates. Both are checked below.
    for (const read of found)
      assert.match(read, /^[^`]*\$\{((isVisible|mayBeVisible)\(scope\)|isFound|condition)\}/, file);
    const usesCondition = found.filter((read) => /^[^`]*\$\{condition\}/.test(read)).length;
    assert.equal(usesCondition, file === 'sqlite/knowledge/scope-selects.ts' ? 1 : 0, file);
  }
  // Search threads test candidates with `documentsAmong` unless `isExact` is `true`.
  assert.match(
    textOf('storage/sqlite/knowledge/scope-selects.ts'),
    /\{ condition, isExact \} = mayPermit\(scope\);\s*return \{\s*candidates: select\(documentsWith\(scope, condition\)\),\s*isExact,/,
  );
  assert.match(
    textOf('storage/in-memory/evaluated-scopes.ts'),
    /new EvaluatedScope\(table, candidates, reads\.isExact, changed\.length\)/,
  );
  assert.match(
    textOf('storage/sqlite/knowledge/scope-selects.ts'),
    /sql<boolean>`documents\.space_id = \$\{scope\.spaceId\} and .*\$\{permitsRow\(scope\)\}`/,
  );
  const scopeDocuments = textOf('storage/postgres/knowledge/scope/scope-documents.ts');
  assert.match(
    scopeDocuments,
    /function permits\([^}]*\}?[^}]*sql<boolean>`\(documents\.space_id = \$\{scope\.spaceId\} and documents\.replaces is null\s*and \$\{matches\(scope, 'documents'\)\}/,
  );
  assert.match(
    scopeDocuments,
    /sql<boolean>`documents\.space_id = \$\{scope\.spaceId\} and .*\$\{mayPermit\(scope\)\.condition\}`/,
  );
});

test('on PostgreSQL, documents that only may be in the scope are tested before they are read', () => {
  assert.deepEqual(filesWith(/\b(mayPermit|mayBeVisible)\(/), [
    'storage/postgres/knowledge/documents/documents.ts',
    'storage/postgres/knowledge/documents/passages.ts',
    'storage/postgres/knowledge/scope/scope-documents.ts',
    'storage/postgres/knowledge/scope/scope-selects.ts',
    'storage/sqlite/knowledge/permits.ts',
    'storage/sqlite/knowledge/scope-selects.ts',
  ]);
  // Both files pass inexact conditions only to `readTested`, whose rows come from `testedDocuments`.
  assert.match(
    textOf('storage/postgres/knowledge/documents/documents.ts'),
    /if \(!isExact\) \{\s*const candidates = [^;]*;\s*const tested = from\(db, testedDocuments\(scope\), scope\);\s*const rows = query\(tested\)[^;]*;\s*const select = [^;]*;\s*return readTested\(db, scope, \{ candidates: select, rows: /,
  );
  assert.match(
    textOf('storage/postgres/knowledge/documents/passages.ts'),
    /if \(mayPermit\(scope\)\.isExact\)\s*return reads[^;]*;\s*const candidates = [^;]*;\s*const rows = passages\(testedDocuments\(scope\)\);\s*return readTested\(/,
  );
  assert.match(
    textOf('storage/postgres/knowledge/documents/tested-read-thread.ts'),
    /const \{ accepted, after \} = await testCandidates\([^;]*;[^;]*request\.rows;[^;]*session\.run\(sql, \[accepted, \.\.\.parameters\.slice\(1\)\]\)/,
  );
  // Search threads test documents if the statement `among`, which contains the whole filter, is missing.
  assert.match(
    textOf('storage/postgres/knowledge/scope/scope-selects.ts'),
    /among: mayPermit\(scope\)\.isExact \? toSelect\(db, documentsAmong\(scope\)\) : null,/,
  );
  assert.match(
    textOf('storage/postgres/knowledge/scope/search-thread.ts'),
    /if \(among === null\)\s*return compiled\.acceptedAmong\([\s\S]*isExact: among !== null,[\s\S]*found\.filter\(\(\{ rank \}\) => accepted\.has\(/,
  );
});

function textOf(file: string): string {
  return files.find((source) => source.file === file)?.text ?? assert.fail(file);
}

/** Returns the statements that read documents, without their first word, `select` or `with`. */
function readsOfDocuments(text: string): string[] {
  return text
    .split(/\bsql`\s*(?:select|with)/)
    .slice(1)
    .filter((part) => /^[^`]*\bdocuments\b/.test(part));
}

test('every query of the document repository applies the scope', () => {
  const { text = '' } =
    files.find(({ file }) => file === 'knowledge/documents/document.repository.ts') ?? {};
  assert.equal([...text.matchAll(/selectFrom\(|sql`\s*(select|with)/g)].length, 2);
  // This query finds the end of a page among all documents of the space. A link never runs the query.
  assert.match(
    text,
    /async lastExamined\(\s*scope: KnowledgeScope,[^{]*\{\s*if \(scope\.isOfLink\) return null;\s*const by = ORDERS\[order\];\s*const row = await engine\.db\s*\.selectFrom\('documents'\)\s*\.where\('space_id', '=', scope\.spaceId\)/,
  );
  // This query reads the newest versions of documents in the scope. The scope is checked again after the query.
  assert.match(
    text,
    /selectFrom\('documents'\)\s*\.where\(\s*hasNumberIn\(\s*scope\.spaceId,\s*replaced[^;]*;\s*const ids = replaced[^;]*;\s*const visible = await engine\.documents\(scope, /,
  );
  assert.match(
    textOf('storage/sqlite/knowledge/engine.ts'),
    /selectFrom\('documents'\)\s*\.where\('documents\.space_id', '=', scope\.spaceId\)\s*\.where\(page === undefined \? permitsRow\(scope\) : permits\(scope\)\)/,
  );
  assert.match(
    textOf('storage/postgres/knowledge/documents/documents.ts'),
    /const inScope = from\(scanningFor\(scope\), likely, scope\)\.where\(permits\(scope\)\)/,
  );
});

test('the queries of access previews read one space, for a caller with a right on the whole space', () => {
  const text = textOf('knowledge/preview/preview.repository.ts');
  const queries = [...text.matchAll(/selectFrom\([^;]*;/g)].map(([query]) => query);
  assert.equal(queries.length, 3);
  for (const query of queries) {
    assert.match(query, /^selectFrom\('documents'\)\s*\.where\('space_id', '=', spaceId\)/);
    assert.doesNotMatch(query, /sql`/);
  }
  assert.equal([...text.matchAll(/\{ spaceId \}: SpaceAccess/g)].length, queries.length);
});

test('code that looks up candidate documents always applies the scope to the result', () => {
  assert.deepEqual(filesWith(/(?<!function )\blikelyDocuments\(/), [
    // The tests above cover these files.
    'storage/postgres/knowledge/documents/documents.ts',
    'storage/postgres/knowledge/scope/scope-selects.ts',
  ]);
});
