import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { roundsOf, SEED } from '../support/campaign.ts';
import { clientOf } from '../support/client.ts';
import { untilRead } from '../support/knowledge.ts';
import { makeSpace, signIn } from '../support/provision.ts';
import { seeded } from '../support/seeded.ts';
import { startService, temporaryDirectory } from '../support/service.ts';

const ROUNDS = roundsOf(3, 60);
const PARAGRAPHS = 300;

const directory = temporaryDirectory();
after(() => directory[Symbol.dispose]());
const random = seeded(SEED);

/** Long enough to be read in many steps; each paragraph is a passage of its own with the same word. */
function longText(word: string): string {
  return Array.from(
    { length: PARAGRAPHS },
    (_, index) =>
      `## Part ${index}\n\n${`${word} stands here, and so does everything else. `.repeat(8)}`,
  ).join('\n\n');
}

test(`a document is found whole or not at all through ${ROUNDS} kills while it is read`, async (t) => {
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
  await untilRead(client, session, spaceId);
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
    assert.equal(positions.size, PARAGRAPHS, 'each passage once');
    const found = await client(`/spaces/${spaceId}/search`, {
      as: session,
      body: { query: `"${word}"`, limit: 50 },
    });
    const places = (found.json['items'] as { position: number }[]).map(({ position }) => position);
    assert.equal(new Set(places).size, 50);
  }
});
