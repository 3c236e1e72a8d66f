import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { clientOf } from '../support/http/client.ts';
import { addDocument, untilIndexed } from '../support/knowledge/knowledge.ts';
import { beginUpload } from '../support/knowledge/partial-upload.ts';
import { startService } from '../support/services/service.ts';
import {
  type ServiceWithSpace,
  startChildWithSpace,
} from '../support/services/service-with-space.ts';
import { stored } from '../support/storage/stored.ts';
import { until } from '../support/until.ts';

const MIB = 1024 * 1024;

const running = await startChildWithSpace();
after(() => running[Symbol.asyncDispose]());
const { client, session, space, dataDir, service } = running;
const documents = `/spaces/${space.id}/documents`;

/** Returns text that differs for each seed. It is mostly white space, so that it is indexed quickly. */
function textOf(seed: string, size: number): Buffer {
  const line = `${createHash('sha256').update(seed).digest('hex')}${' '.repeat(10_000)}\n`;
  return Buffer.from(line.repeat(Math.ceil(size / line.length)).slice(0, size));
}

/** Uploads a file in pieces whose size does not divide a part, and returns the status. */
async function upload(
  {
    path = documents,
    method = 'POST',
    fileName,
  }: { path?: string; method?: string; fileName: string },
  content: Buffer,
): Promise<number> {
  const sending = beginUpload(service.url, session, { path, fileName, method });
  for (let at = 0; at < content.length; at += 300_001)
    await sending.send(content.subarray(at, at + 300_001));
  return sending.finish();
}

async function countOf(table: 'document_parts' | 'document_remains'): Promise<number> {
  const [row] = await stored(dataDir, `select count(*) as count from ${table}`);
  return Number(row?.['count']);
}

/** Waits until the store contains only the parts of visible documents. */
async function untilOnlyVisibleParts(): Promise<void> {
  const listed = await client(`${documents}?limit=200`, { as: session });
  const items = listed.json['items'] as { bytes: number }[];
  const expected = items.reduce((sum, { bytes }) => sum + Math.ceil(bytes / MIB), 0);
  await until('no other parts are stored', async () => {
    return (await countOf('document_parts')) === expected;
  });
  await until('nothing is left to remove', async () => (await countOf('document_remains')) === 0);
}

async function namesOf({ client, session }: Pick<ServiceWithSpace, 'client' | 'session'>) {
  const { json } = await client(`${documents}?limit=200`, { as: session });
  return (json['items'] as { fileName: string }[]).map(({ fileName }) => fileName);
}

test('a large file that arrives in pieces is stored unchanged', async () => {
  for (const size of [MIB - 1, MIB, MIB + 1, 3 * MIB, 3 * MIB + 7]) {
    const content = textOf(String(size), size);
    const fileName = `size-${size}.txt`;
    assert.equal(await upload({ fileName }, content), 201);
    const listed = await client(`${documents}?limit=200`, { as: session });
    const items = listed.json['items'] as { id: string; fileName: string; bytes: number }[];
    const document = items.find((item) => item.fileName === fileName);
    assert.equal(document?.bytes, size);
    const { text } = await client(`${documents}/${document.id}/content`, { as: session });
    assert.ok(text === content.toString(), `${size} bytes`);
  }
  await untilOnlyVisibleParts();
});

test('a large text in JSON is stored unchanged', async () => {
  // The text is encoded in slices. Their ends must not split the two halves of an emoji.
  const text = `x${'😀'.repeat(40_000)}Grüße €${' '.repeat(2 * MIB)}.`;
  const { id } = await addDocument(client, session, space.id, { fileName: 'j.txt', text });
  assert.ok((await client(`${documents}/${id}/content`, { as: session })).text === text);
});

test('uploading a large file again changes nothing and leaves no parts', async () => {
  const content = textOf('again', 2 * MIB);
  const path = `${documents}/by-key/again`;
  const put = { path, method: 'PUT', fileName: 'key.txt' };
  assert.equal(await upload({ fileName: 'again.txt' }, content), 201);
  assert.equal(await upload({ fileName: 'again.txt' }, content), 200);
  assert.equal(await upload(put, content), 201);
  assert.equal(await upload(put, content), 200);
  await untilIndexed(client, session, space.id);
  const before = await client(path, { method: 'PUT', as: session, body: jsonOf(content) });
  assert.equal(before.status, 200);
  assert.equal(await upload(put, textOf('other', 2 * MIB)), 200);
  await untilIndexed(client, session, space.id);
  const { text } = await client(`${documents}/${before.json['id']}/content`, { as: session });
  assert.ok(text === textOf('other', 2 * MIB).toString());
  // Deletes the replaced file too, which is an earlier version of the document.
  const document = `${documents}/${before.json['id']}`;
  assert.equal((await client(document, { method: 'DELETE', as: session })).status, 204);
  await untilOnlyVisibleParts();
});

function jsonOf(content: Buffer) {
  return { fileName: 'key.txt', text: content.toString() };
}

test('concurrent uploads of the same large file create one document', async () => {
  const content = textOf('rush', 2 * MIB);
  const statuses = await Promise.all(
    Array.from({ length: 5 }, () => upload({ fileName: 'rush.txt' }, content)),
  );
  assert.deepEqual(statuses.toSorted(), [200, 200, 200, 200, 201]);
  await untilOnlyVisibleParts();
});

test('a file that turns out to be too large or not text is rejected, and no parts remain', async () => {
  const large = beginUpload(service.url, session, { path: documents, fileName: 'large.txt' });
  const piece = textOf('large', MIB);
  let sent = 0;
  let status: number | null = null;
  void large.status.then((received) => {
    status = received;
  });
  for (; status === null && sent < 60; sent++) await large.send(piece);
  assert.equal(await large.status, 413);
  large.abandon();
  const binary = Buffer.concat([textOf('binary', 2 * MIB), Buffer.from([0])]);
  assert.equal(await upload({ fileName: 'binary.txt' }, binary), 400);
  await untilOnlyVisibleParts();
});

test('an upload that the client abandons is invisible, and its parts are removed', async () => {
  const before = await namesOf(running);
  const parts = await countOf('document_parts');
  const sending = beginUpload(service.url, session, { path: documents, fileName: 'gone.txt' });
  await sending.send(textOf('gone', 3 * MIB));
  await until('parts are stored', async () => (await countOf('document_parts')) > parts);
  assert.deepEqual(await namesOf(running), before);
  sending.abandon();
  await untilOnlyVisibleParts();
  assert.deepEqual(await namesOf(running), before);
});

test('a document cannot be stored in a space that is deleted during the upload', async () => {
  const { json } = await client('/spaces', { as: session, body: { name: 'Short-lived' } });
  const path = `/spaces/${json['id']}/documents`;
  const parts = await countOf('document_parts');
  const sending = beginUpload(service.url, session, { path, fileName: 'late.txt' });
  await sending.send(textOf('late', 2 * MIB));
  await until('parts are stored', async () => (await countOf('document_parts')) > parts);
  const deleted = await client(`/spaces/${json['id']}`, { method: 'DELETE', as: session });
  assert.equal(deleted.status, 204, deleted.text);
  assert.equal(await sending.finish(), 403);
  await untilOnlyVisibleParts();
});

test('an upload that is interrupted by a crash is invisible, and its parts are removed after a while', async () => {
  const before = await namesOf(running);
  const parts = await countOf('document_parts');
  const sending = beginUpload(service.url, session, { path: documents, fileName: 'crash.txt' });
  await sending.send(textOf('crash', 3 * MIB));
  await until('parts are stored', async () => (await countOf('document_parts')) > parts);
  await service.stop('SIGKILL');
  await assert.rejects(sending.status);
  // The indexer removes the parts after five minutes. This simulates that they have passed.
  const [row] = await stored(dataDir, 'select due_at from document_remains');
  assert.ok(Number(row?.['due_at']) > Date.now());
  await using restarted = await startService(dataDir);
  const again = { client: clientOf(restarted.url), session };
  assert.deepEqual(await namesOf(again), before);
  assert.ok((await countOf('document_parts')) > parts, 'another replica could still be receiving');
  await stored(dataDir, 'update document_remains set due_at = 1');
  const body = { fileName: 'wake.txt', text: 'This wakes the indexer.' };
  assert.equal((await again.client(documents, { as: session, body })).status, 201);
  await until('the parts are removed', async () => (await countOf('document_parts')) === parts + 1);
  assert.deepEqual(await namesOf(again), [...before, 'wake.txt']);
});
