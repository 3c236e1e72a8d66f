import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceOfThisFile } from '../support/file-service.ts';
import { addDocument, inParallel } from '../support/knowledge.ts';
import { exchangeLink, makeLink, makeSpace, signIn } from '../support/provision.ts';

const { client, service } = await serviceOfThisFile();
const session = await signIn(client);

/** As much as one filter may ask of each document, none of which holds. */
const costly = {
  or: Array.from({ length: 500 }, (_, index) => ({ search: `nowhere ${index}` })),
};

async function makeLoadedSpace(): Promise<string> {
  const { id: spaceId } = await makeSpace(client, session);
  const metadata = Object.fromEntries(
    Array.from({ length: 600 }, (_, index) => [`key${index}`, `${index} ${'x'.repeat(80)}`]),
  );
  const documents = Array.from({ length: 120 }, (_, index) => ({
    fileName: `${index}.txt`,
    text: 'A needle in each.',
    metadata,
  }));
  await inParallel(documents, 4, async (document) => {
    await addDocument(client, session, spaceId, document);
  });
  return spaceId;
}

test('the same space answers a plain filter as before', async () => {
  const { id: spaceId } = await makeSpace(client, session);
  await addDocument(client, session, spaceId, {
    fileName: 'a.txt',
    text: 'A needle.',
    metadata: { team: 'a' },
  });
  for (const [filter, count] of [
    [{ team: { eq: 'a' } }, 1],
    [costly, 0],
  ] as const) {
    const answer = await client(`/spaces/${spaceId}/search`, {
      as: session,
      body: { query: 'needle', filter },
    });
    assert.equal((answer.json['items'] as unknown[]).length, count, answer.text);
  }
});

test('searches that wait are not done when their clients have left', async () => {
  const crowded = await makeLoadedSpace();
  const path = `/spaces/${crowded}/search`;
  const leave = new AbortController();
  const send = (body: object) =>
    fetch(service.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${session}` },
      body: JSON.stringify(body),
      signal: leave.signal,
    });
  const costlyOnes = Array.from({ length: 60 }, () =>
    send({ query: 'needle', filter: costly }).catch(() => null),
  );
  await client('/healthz');
  leave.abort();
  await Promise.all(costlyOnes);
  await client('/healthz');
  const plain = await Promise.all(
    Array.from({ length: 60 }, () => client(path, { as: session, body: { query: 'needle' } })),
  );
  // There would be no room for them beside those that nobody waits for.
  for (const { status, text } of plain) assert.equal(status, 200, text);
});

test('a filter that asks too much is an error, not a partial answer, and nobody else waits for it', async () => {
  const crowded = await makeLoadedSpace();
  const link = await makeLink(client, session, { spaceId: crowded });
  const as = await exchangeLink(client, link.token);
  const { id: other } = await makeSpace(client, session);
  await addDocument(client, session, other, { fileName: 'a.txt', text: 'A needle.' });

  const body = { query: 'needle', filter: costly };
  const refused: Awaited<ReturnType<typeof client>>[] = [];
  const { promise: isFull, resolve } = Promise.withResolvers<void>();
  // The service ends before it comes to most of them.
  const asked = Array.from({ length: 120 }, async () => {
    const answer = await client(`/spaces/${crowded}/search`, { as, body }).catch(() => null);
    if (answer?.json['code'] === 'http.overloaded' && refused.push(answer) === 5) resolve();
    return answer;
  });
  const quick = await client(`/spaces/${other}/search`, { as: session, body: { query: 'needle' } });
  assert.equal((quick.json['items'] as unknown[]).length, 1);
  await isFull;
  const first = await Promise.any(asked.map(tooSlow));
  for (const answer of [...refused, first]) {
    assert.equal(answer?.status, 503);
    assert.ok(Number(answer?.headers.get('retry-after')) > 0);
  }
});

/** Rejects with any other answer than that it took too long. */
async function tooSlow<A extends { readonly json: Record<string, unknown> } | null>(
  asked: Promise<A>,
): Promise<A> {
  const answer = await asked;
  assert.equal(answer?.json['code'], 'http.too-slow');
  return answer;
}
