import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDocument, inParallel } from '../support/knowledge/knowledge.ts';
import { exchangeLink, makeLink, makeSpace, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const { client, service } = await serviceOfThisFile();
const session = await signIn(client);

/** A filter that matches no document and whose cost is just below the limit. */
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

test('simple and costly filters return correct results', async () => {
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

test('a queued search is cancelled if its client disconnects', async () => {
  const crowded = await makeLoadedSpace();
  const path = `/spaces/${crowded}/search`;
  const disconnect = new AbortController();
  const send = (body: object) =>
    fetch(service.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${session}` },
      body: JSON.stringify(body),
      signal: disconnect.signal,
    });
  const costlyOnes = Array.from({ length: 60 }, () =>
    send({ query: 'needle', filter: costly }).catch(() => null),
  );
  await client('/healthz');
  disconnect.abort();
  await Promise.all(costlyOnes);
  await client('/healthz');
  const plain = await Promise.all(
    Array.from({ length: 60 }, () => client(path, { as: session, body: { query: 'needle' } })),
  );
  // If the cancelled searches were still queued, these searches would exceed the queue limit.
  for (const { status, text } of plain) assert.equal(status, 200, text);
});

test('a search whose filter is too slow fails without a partial result and does not delay other spaces', async () => {
  const crowded = await makeLoadedSpace();
  const link = await makeLink(client, session, { spaceId: crowded });
  const as = await exchangeLink(client, link.token);
  const { id: other } = await makeSpace(client, session);
  await addDocument(client, session, other, { fileName: 'a.txt', text: 'A needle.' });

  const body = { query: 'needle', filter: costly };
  const rejected: Awaited<ReturnType<typeof client>>[] = [];
  const { promise: isFull, resolve } = Promise.withResolvers<void>();
  // Most of these searches are still queued when the service stops.
  const asked = Array.from({ length: 120 }, async () => {
    const answer = await client(`/spaces/${crowded}/search`, { as, body }).catch(() => null);
    if (answer?.json['code'] === 'http.overloaded' && rejected.push(answer) === 5) resolve();
    return answer;
  });
  const quick = await client(`/spaces/${other}/search`, { as: session, body: { query: 'needle' } });
  assert.equal((quick.json['items'] as unknown[]).length, 1);
  await isFull;
  const first = await Promise.any(asked.map(tooSlow));
  for (const answer of [...rejected, first]) {
    assert.equal(answer?.status, 503);
    assert.ok(Number(answer?.headers.get('retry-after')) > 0);
  }
});

async function tooSlow<A extends { readonly json: Record<string, unknown> } | null>(
  asked: Promise<A>,
): Promise<A> {
  const answer = await asked;
  assert.equal(answer?.json['code'], 'http.too-slow');
  return answer;
}
