import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClientResponse } from '../support/http/client.ts';
import { addDocument } from '../support/knowledge/knowledge.ts';
import { exchangeLink, makeLink, makeSpace, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const PER_MINUTE = 7;
const { client } = await serviceOfThisFile({
  env: { GATEHOUSE_RATE_LIMIT_READS_LINK: String(PER_MINUTE) },
});
const session = await signIn(client);
const { id: spaceId } = await makeSpace(client, session);
const { id: documentId } = await addDocument(client, session, spaceId, {
  fileName: 'a.txt',
  text: 'A needle.',
});
const documents = `/spaces/${spaceId}/documents`;
const search = (as: string) =>
  client(`/spaces/${spaceId}/search`, { as, body: { query: 'needle' } });

async function newLink() {
  const { token } = await makeLink(client, session, { spaceId });
  return { token, as: await exchangeLink(client, token) };
}

function assertRejected(answer: ClientResponse): void {
  assert.deepEqual([answer.status, answer.json['code']], [429, 'links.too-many-reads']);
  const seconds = Number(answer.headers.get('retry-after'));
  assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, `${seconds} s`);
  assert.match(String(answer.json['message']), new RegExp(`in ${seconds} second`));
}

test('all searches and reads of a link count towards one limit, whichever session sends them', async () => {
  const { token, as } = await newLink();
  const renewed = await exchangeLink(client, token);
  const reads = [
    () => search(as),
    () => client(documents, { as: renewed }),
    () => client(`${documents}/${documentId}`, { as }),
    () => client(`${documents}/${documentId}/content`, { as: renewed }),
    () => client(`${documents}/${documentId}/passages`, { as }),
    () => client('/chat/conversations', { as: renewed }),
    () => search(renewed),
  ];
  assert.equal(reads.length, PER_MINUTE);
  for (const read of reads) {
    const { status, text } = await read();
    assert.equal(status, 200, text);
  }
  for (const read of reads) assertRejected(await read());
  const unknown = '/chat/conversations/0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f40';
  assertRejected(await client(unknown, { as }));
});

test('a link whose limit is used up still answers questions, and other callers have their own limits', async () => {
  const { as } = await newLink();
  for (let n = 0; n < PER_MINUTE; n += 1) assert.equal((await search(as)).status, 200);
  assertRejected(await search(as));
  const messages = [{ role: 'user', parts: [{ type: 'text', text: 'Is there a needle?' }] }];
  assert.equal((await client('/chat', { as, body: { messages } })).status, 200);
  assert.equal((await search((await newLink()).as)).status, 200);
  for (let n = 0; n <= PER_MINUTE; n += 1) assert.equal((await search(session)).status, 200);
});

test('repeated rejections of one link are delayed, and other links do not wait for them', async () => {
  const { as } = await newLink();
  const other = await newLink();
  for (let n = 0; n < PER_MINUTE; n += 1) assert.equal((await search(as)).status, 200);
  const startedAt = performance.now();
  let rejected = 0;
  const rejections = Array.from({ length: 100 }, async () => {
    assertRejected(await search(as));
    rejected += 1;
  });
  assert.equal((await search(other.as)).status, 200);
  assert.ok(rejected < rejections.length, 'the other link waited for all rejections');
  await Promise.all(rejections);
  // Each is delayed by 25 ms more than the one before, at most by 1.5 s.
  assert.ok(performance.now() - startedAt > 1000, 'the rejections were not delayed');
});
