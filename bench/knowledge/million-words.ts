// Claim: with a million documents of one word each, every search is answered with 200 within two seconds. Fills a space through the storage
// port and prints the slowest search of each kind. The first search, which also loads the index into memory, is printed separately.
import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { metadataColumns } from '../../packages/server/src/knowledge/documents/document.rules.ts';
import { inTransaction } from '../../packages/server/src/storage/ports/index.ts';
import { clientOf } from '../../packages/server/tests/support/http/client.ts';
import { makeSpace, signIn } from '../../packages/server/tests/support/provision.ts';
import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { machine } from '../lib/machine.ts';
import { openStoreOf } from '../lib/open-store.ts';
import { numberOptions } from '../lib/options.ts';
import { startExisting, startProvisioned } from '../lib/service.ts';
import { round } from '../lib/spread.ts';

const options = numberOptions({ documents: 1_000_000, queries: 20 });
const DOCUMENTS_PER_TRANSACTION = 500;
const TIME = '2026-11-21T12:00:00.000Z';

/** Beginning of all words. */
const BEGINNING = 'abcdefghijklmnopqrstuvwxyz';
const SHORTEST_BEGINNING = 6;
const wordOf = (index: number) => `${BEGINNING}${index.toString(36)}x`;

async function fill(directory: string, spaceId: string): Promise<void> {
  await using store = await openStoreOf(directory);
  const { db, index } = store.knowledge;
  for (let at = 0; at < options.documents; at += DOCUMENTS_PER_TRANSACTION) {
    const numbers = await inTransaction(db, async (trx) => {
      const rows = [];
      for (let one = at; one < Math.min(options.documents, at + DOCUMENTS_PER_TRANSACTION); one++) {
        const number = await index.nextNumber(trx, spaceId);
        assert.ok(number !== null);
        const fileName = `${wordOf(one)}.txt`;
        rows.push({
          id: randomUUIDv7(),
          space_id: spaceId,
          number,
          file_name: fileName,
          file_name_folded: fileName,
          mime_type: 'text/plain',
          state: 'ready' as const,
          size: 1,
          sha256: fileName,
          passages: 1,
          ...metadataColumns({}),
          created_at: TIME,
          updated_at: TIME,
        });
      }
      await trx.insertInto('documents').values(rows).execute();
      return rows.map(({ number }) => number);
    });
    await Promise.all(
      numbers.map((number, offset) =>
        index.insert({ spaceId, number, fileName: `${wordOf(at + offset)}.txt`, title: null }, 0, [
          { heading: [], text: wordOf(at + offset) },
        ]),
      ),
    );
    if (at % 50_000 === 0) process.stderr.write(`${at} documents\n`);
  }
}

using directory = temporaryDirectory();
let space = '';
{
  await using service = await startProvisioned(directory.path);
  const client = clientOf(service.url);
  space = (await makeSpace(client, await signIn(client))).id;
}
await fill(directory.path, space);
await using service = await startExisting(directory.path);
const client = clientOf(service.url);
const as = await signIn(client);

async function msOf(body: object): Promise<number> {
  const startedAt = performance.now();
  const { status, text } = await client(`/spaces/${space}/search`, { as, body });
  assert.equal(status, 200, text);
  return performance.now() - startedAt;
}

const firstMs = await msOf({ query: wordOf(0) });
const kinds: Record<string, (index: number) => object> = {
  'one word': (index) => ({ query: wordOf(index * 37) }),
  'a misspelt word': (index) => ({ query: `${wordOf(index * 37)}q` }),
  'the beginning of a word': () => ({ query: BEGINNING }),
  '26 words with the same beginning': () => ({
    query: [...BEGINNING].map((letter) => `${BEGINNING}${letter}`).join(' '),
  }),
  '20 beginnings of different lengths': () => ({
    query: Array.from({ length: BEGINNING.length - SHORTEST_BEGINNING }, (_, more) =>
      BEGINNING.slice(0, SHORTEST_BEGINNING + more),
    ).join(' '),
  }),
  'one letter': () => ({ query: 'a' }),
  '30 words': (index) => ({
    query: Array.from({ length: 30 }, (_, word) => wordOf(index + word * 91)).join(' '),
  }),
  'a filter that allows nothing': (index) => ({
    query: wordOf(index),
    filter: { team: { eq: 'nobody' } },
  }),
};
const slowest: Record<string, number> = {};
for (const [kind, bodyOf] of Object.entries(kinds)) {
  const times: number[] = [];
  for (let index = 0; index < options.queries; index += 1) times.push(await msOf(bodyOf(index)));
  slowest[kind] = round(Math.max(...times));
}
console.log(
  JSON.stringify(
    {
      machine: machine(),
      options,
      firstMs: round(firstMs),
      slowestMs: slowest,
      rssMB: round(service.rss()),
    },
    null,
    2,
  ),
);
