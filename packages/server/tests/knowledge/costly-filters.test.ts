import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDocument, inParallel } from '../support/knowledge/knowledge.ts';
import { exchangeLink, makeLink, makeSpace, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';
import { ON_POSTGRES } from '../support/storage/backend.ts';

const { client, service } = await serviceOfThisFile();
const session = await signIn(client);

/** A filter of nearly the maximum size that reads all strings of a document. Matches no document. */
const large = {
  or: Array.from({ length: 500 }, (_, index) => ({ search: `nowhere ${index}` })),
};

/** A filter that takes minutes for the document of `makeCostlySpace`. Matches no document. */
const costly = {
  or: Array.from({ length: 500 }, (_, index) => ({
    long: { like: `%${'_x'.repeat(450)}${'_'.repeat(index % 50)}y%` },
  })),
};

async function makeCostlySpace(): Promise<string> {
  const { id: spaceId } = await makeSpace(client, session);
  await addDocument(client, session, spaceId, {
    fileName: 'long.txt',
    text: 'A needle.',
    metadata: { long: `y${'x'.repeat(60_000)}` },
  });
  return spaceId;
}

test('a search with a simple filter returns the matching documents', async () => {
  const { id: spaceId } = await makeSpace(client, session);
  for (const team of ['a', 'b'])
    await addDocument(client, session, spaceId, {
      fileName: `${team}.txt`,
      text: 'A needle.',
      metadata: { team },
    });
  assert.deepEqual(await fileNames(spaceId, { team: { eq: 'a' } }), ['a.txt']);
});

const skip = ON_POSTGRES && 'PostgreSQL evaluates each operator separately';

test('searches with large filters succeed in a space with large metadata', { skip }, async () => {
  const { id: spaceId } = await makeSpace(client, session);
  const metadata = Object.fromEntries(
    Array.from({ length: 600 }, (_, index) => [`key${index}`, `${index} ${'X'.repeat(80)}`]),
  );
  const documents = Array.from({ length: 120 }, (_, index) => ({
    fileName: `${index}.txt`,
    text: 'A needle in each.',
    metadata: { ...metadata, key7: `Number ${index}.` },
  }));
  await inParallel(documents, 4, async (document) => {
    await addDocument(client, session, spaceId, document);
  });
  const patternsWith = (pattern: string) => ({
    or: Array.from({ length: 500 }, (_, index) => ({ [`key${index}`]: { like: pattern } })),
  });
  assert.deepEqual(await fileNames(spaceId, large), []);
  assert.deepEqual(await fileNames(spaceId, patternsWith('number 17.')), ['17.txt']);
  assert.deepEqual(await fileNames(spaceId, patternsWith('%_ber 10_.')), [
    '100.txt',
    '101.txt',
    '102.txt',
    '103.txt',
    '104.txt',
    '105.txt',
    '106.txt',
    '107.txt',
    '108.txt',
    '109.txt',
  ]);
  assert.deepEqual(
    await fileNames(spaceId, { ...patternsWith('number 1%'), key7: { like: '%19.' } }),
    ['119.txt', '19.txt'],
  );
});

/** Returns the file names of the documents that a search finds, in alphabetical order. */
async function fileNames(spaceId: string, filter: object): Promise<string[]> {
  const answer = await client(`/spaces/${spaceId}/search`, {
    as: session,
    body: { query: 'needle', filter, limit: 20 },
  });
  assert.equal(answer.status, 200, answer.text);
  const items = answer.json['items'] as readonly { readonly fileName: string }[];
  return items.map(({ fileName }) => fileName).sort();
}

test('a queued search is cancelled if its client disconnects', async () => {
  const crowded = await makeCostlySpace();
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
  const crowded = await makeCostlySpace();
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
  assert.equal(quick.status, 200, quick.text);
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
