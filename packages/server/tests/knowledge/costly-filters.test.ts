import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientResponse } from '../support/http/client.ts';
import { addDocument, inParallel } from '../support/knowledge/knowledge.ts';
import {
  exchangeLink,
  giveRole,
  makeLink,
  makeSpace,
  makeUser,
  signIn,
} from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';
import { until } from '../support/until.ts';

const { client, service } = await serviceOfThisFile({
  env: { GATEHOUSE_SEARCH_WAIT_SECONDS: '2' },
});
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

test('a change of large metadata applies to the next search with a large filter', async () => {
  const { id: spaceId } = await makeSpace(client, session);
  const metadataOf = (level: string) => ({
    level,
    ...Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`key${n}`, 'x'.repeat(40)])),
  });
  const document = { fileName: 'a.txt', text: 'A needle.', metadata: metadataOf('open') };
  const { id } = await addDocument(client, session, spaceId, document);
  const filter = {
    and: [
      { level: { like: 'open%' } },
      ...Array.from({ length: 40 }, (_, n) => ({ [`key${n}`]: { like: 'x%' } })),
    ],
  };
  const change = (level: string) =>
    client(`/spaces/${spaceId}/documents/${id}`, {
      method: 'PATCH',
      as: session,
      body: { metadata: metadataOf(level) },
    });
  assert.deepEqual(await fileNames(spaceId, filter), ['a.txt']);
  assert.equal((await change('closed')).status, 200);
  assert.deepEqual(await fileNames(spaceId, filter), []);
  assert.equal((await change('open again')).status, 200);
  assert.deepEqual(await fileNames(spaceId, filter), ['a.txt']);
});

test('searches with large filters succeed in a space with large metadata', async () => {
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
  const link = await makeLink(client, session, {
    spaceId,
    permissionFilter: patternsWith('number 1_.'),
  });
  const as = await exchangeLink(client, link.token);
  const listed = await client(`/spaces/${spaceId}/documents?limit=20`, { as });
  const items = listed.json['items'] as readonly { readonly fileName: string }[];
  assert.deepEqual(
    items.map(({ fileName }) => fileName).sort(),
    Array.from({ length: 10 }, (_, index) => `${10 + index}.txt`),
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

test('a widget session that sends many large searches at a time gets an answer or the reason for each', async () => {
  const { id: spaceId } = await makeSpace(client, session);
  await addDocument(client, session, spaceId, { fileName: 'a.txt', text: 'A needle.' });
  const { token } = await makeLink(client, session, { spaceId });
  const as = await exchangeLink(client, token);
  const filter = { or: [{ fileName: { eq: 'a.txt' } }, ...large.or] };
  const send = (body: object) => client(`/spaces/${spaceId}/search`, { as, body });
  const answers = await Promise.all([
    ...Array.from({ length: 20 }, () => send({ query: 'needle', filter })),
    send({ query: 'needle', filter: { or: [...large.or, { fileName: { like: 1 } }] } }),
  ]);
  const invalid = answers.pop();
  for (const { status, text } of answers) assert.ok(status === 200 || status === 503, text);
  assert.ok(answers.some(({ json }) => (json['items'] as readonly object[])?.length === 1));
  assert.equal(invalid?.json['code'], 'knowledge.invalid');
});

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
  // A search that was already running continues for up to two seconds.
  await until('searches succeed again', async () => {
    const plain = await client(path, { as: session, body: { query: 'needle' } });
    return plain.status === 200;
  });
});

test('a link whose searches are too costly is rejected with the reason, and other callers are not', async () => {
  const crowded = await makeCostlySpace();
  const link = await makeLink(client, session, { spaceId: crowded });
  const as = await exchangeLink(client, link.token);
  const { id: other } = await makeSpace(client, session);
  await addDocument(client, session, other, { fileName: 'a.txt', text: 'A needle.' });
  const search = (spaceId: string, as: string, filter?: object) =>
    client(`/spaces/${spaceId}/search`, { as, body: { query: 'needle', filter } });

  // Each filter is different, so no search can use the result of another one.
  const costlyOnes = Array.from({ length: 100 }, (_, n) =>
    search(crowded, as, { or: [...costly.or.slice(1), { search: `only here ${n}` }] }),
  );
  // The first step of a costly search can take up to two seconds, which is the longest time that a search waits.
  await until('a search of another space succeeds', async () => {
    const { status, json } = await search(other, session);
    return status === 200 && (json['items'] as unknown[]).length === 1;
  });
  const outcomes = new Set<string>();
  for (const answer of await Promise.all(costlyOnes)) {
    const { status, json, headers } = answer;
    outcomes.add(`${status} ${json['code'] ?? ''}`);
    if (status === 200) continue;
    assert.ok(Number(headers.get('retry-after')) > 0);
    if (json['code'] === 'http.time-budget-used')
      assert.match(String(json['message']), /of this access link have used up their time/);
    if (json['code'] === 'http.overloaded')
      assert.match(String(json['message']), /searches and reads of this caller are waiting/);
  }
  assert.ok(outcomes.has('503 http.overloaded'), [...outcomes].join());
  for (const outcome of outcomes)
    assert.ok(
      ['200 ', '429 http.time-budget-used', '503 http.overloaded', '503 http.too-slow'].includes(
        outcome,
      ),
      outcome,
    );
  assert.equal((await search(crowded, session)).status, 200, 'another caller of the same space');
});

test('the service reports rejected reads and the time that reads take', async () => {
  const { text } = await client('/metrics');
  assert.match(text, /gatehouse_reads_rejected_total\{reason="caller"\} [1-9]/);
  assert.match(text, /gatehouse_read_seconds_total\{resource="\S+"\} \d/);
});

test('an explanation and a list of links are rejected if the right ends while filters are evaluated', async () => {
  const { id: spaceId, botId } = await makeSpace(client, session);
  const document = {
    fileName: 'long.txt',
    text: 'A needle.',
    metadata: { long: 'x'.repeat(20_000) },
  };
  const { id: documentId } = await addDocument(client, session, spaceId, document);
  const editor = await makeUser(client, session, 'former-editor');
  const as = await signIn(client, editor);
  const join = () => giveRole(client, session, botId, editor.id, 'editor');
  const filterOf = (count: number) => ({
    or: Array.from({ length: count }, (_, index) => ({
      long: { like: `%${'_x'.repeat(400)}${'_'.repeat(index % 50)}y%` },
    })),
  });
  let permissionFilter = filterOf(1);
  const requests = {
    explain: () =>
      client(`/spaces/${spaceId}/access-preview/explain`, {
        as,
        body: { permissionFilter, documentId },
      }),
    links: () => client(`/spaces/${spaceId}/documents/${documentId}/links`, { as }),
  };
  /** Reports whether a response takes longer than the removal of the editor. */
  const isSlow = async (send: () => Promise<ClientResponse>) => {
    const start = performance.now();
    assert.equal((await send()).status, 200);
    return performance.now() - start > 400;
  };
  await join();
  for (let count = 2; !(await isSlow(requests.explain)); count *= 2)
    permissionFilter = filterOf(count);
  while (!(await isSlow(requests.links)))
    for (let n = 0; n < 8; n += 1) await makeLink(client, session, { spaceId, permissionFilter });
  for (const [name, send] of Object.entries(requests)) {
    await join();
    const answering = send();
    await sleep(50);
    const member = `/bots/${botId}/members/${editor.id}`;
    assert.equal((await client(member, { method: 'DELETE', as: session })).status, 204);
    const { status, json } = await answering;
    assert.deepEqual([status, json['code']], [403, 'access.forbidden'], name);
  }
});
