import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { roundsOf, SEED } from '@gatehouse/filter/tests/campaign';
import { type Client, clientOf } from '../support/http/client.ts';
import { untilIndexed } from '../support/knowledge/knowledge.ts';
import { makeSpace, signIn } from '../support/provision.ts';
import { seeded } from '../support/seeded.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';

const ROUNDS = roundsOf(2, 60);
const PARAGRAPHS = 300;

const directory = temporaryDirectory();
after(() => directory[Symbol.dispose]());
const random = seeded(SEED);

/** Returns a text that takes many steps to index. Each paragraph is one passage and contains `word`. */
function longText(word: string): string {
  return Array.from(
    { length: PARAGRAPHS },
    (_, index) =>
      `## Part ${index}\n\n${`${word} stands here, and so does everything else. `.repeat(8)}`,
  ).join('\n\n');
}

test(`after ${ROUNDS} kills during indexing, a search finds either all passages of a document or none`, async (t) => {
  t.diagnostic(`seed ${SEED}`);
  const sent: { word: string; path: string }[] = [];
  let spaceId = '';
  for (let round = 0; round < ROUNDS; round += 1) {
    const service = await startService(directory.path);
    const client = clientOf(service.url);
    const session = await signIn(client);
    if (spaceId === '') spaceId = (await makeSpace(client, session)).id;
    const word = `zebra${round}x`;
    const body = { fileName: `${word}.md`, markdown: longText(word) };
    const answer = await client(`/spaces/${spaceId}/documents`, { as: session, body });
    assert.equal(answer.status, 201, answer.text);
    sent.push({ word, path: answer.headers.get('location') ?? '' });
    await sleep(random.below(250));
    const found = await client(`/spaces/${spaceId}/search`, {
      as: session,
      body: { query: word, limit: 50 },
    });
    assert.ok(
      [0, 50].includes((found.json['items'] as unknown[]).length),
      found.text.slice(0, 300),
    );
    await service.stop('SIGKILL');
  }

  await using service = await startService(directory.path);
  const client = clientOf(service.url);
  const session = await signIn(client);
  await untilIndexed(client, session, spaceId);
  for (const { word, path } of sent) {
    const document = await client(path, { as: session });
    assert.equal(document.json['state'], 'ready', document.text);
    assert.equal(document.json['passages'], PARAGRAPHS);
    const positions = new Set<number>();
    for (let next = ''; ; ) {
      const page = await client(`${path}/passages?limit=200${next}`, { as: session });
      for (const { position } of page.json['items'] as { position: number }[])
        positions.add(position);
      if (page.json['next'] === null) break;
      next = `&after=${page.json['next']}`;
    }
    assert.equal(positions.size, PARAGRAPHS, 'every passage exactly once');
    const found = await client(`/spaces/${spaceId}/search`, {
      as: session,
      body: { query: `"${word}"`, limit: 50 },
    });
    const positionsFound = (found.json['items'] as { position: number }[]).map(
      ({ position }) => position,
    );
    assert.equal(new Set(positionsFound).size, 50);
  }
});

test(`after ${ROUNDS} kills while a document is replaced, a search finds exactly one version`, async (t) => {
  t.diagnostic(`seed ${SEED}`);
  let spaceId = '';
  let newest = -1;
  const put = async (client: Client, session: string, version: number) => {
    const markdown = `# Okapi\n\nThe okapi has edition ${version}.\n\n${longText('filler')}`;
    const path = `/spaces/${spaceId}/documents/by-key/okapi`;
    const body = { fileName: 'okapi.md', markdown };
    const answer = await client(path, { method: 'PUT', as: session, body });
    assert.ok(answer.status === 201 || answer.status === 200, answer.text);
    newest = version;
  };
  const versions = async (client: Client, session: string): Promise<number[]> => {
    const body = { query: 'okapi edition' };
    const found = await client(`/spaces/${spaceId}/search`, { as: session, body });
    const items = found.json['items'] as { text: string }[];
    return items.flatMap(({ text }) => /edition (\d+)/.exec(text)?.slice(1).map(Number) ?? []);
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    const service = await startService(directory.path);
    const client = clientOf(service.url);
    const session = await signIn(client);
    if (spaceId === '') {
      spaceId = (await makeSpace(client, session)).id;
      await put(client, session, 0);
      await untilIndexed(client, session, spaceId);
    }
    assert.equal((await versions(client, session)).length, 1);
    await put(client, session, newest + 1);
    await sleep(random.below(250));
    assert.equal((await versions(client, session)).length, 1);
    await service.stop('SIGKILL');
  }
  await using service = await startService(directory.path);
  const client = clientOf(service.url);
  const session = await signIn(client);
  await untilIndexed(client, session, spaceId);
  assert.deepEqual(await versions(client, session), [newest]);
});
