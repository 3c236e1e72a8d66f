import { createHash, randomUUIDv7 } from 'node:crypto';
import { fold } from '../../packages/filter/src/index.ts';
import {
  metadataColumns,
  valuesOf,
} from '../../packages/server/src/knowledge/documents/document.rules.ts';
import { createDocumentChanges } from '../../packages/server/src/knowledge/documents/document-changes.repository.ts';
import { connectTo, ON_POSTGRES } from '../../packages/server/tests/support/backend.ts';
import { inParallel } from '../../packages/server/tests/support/knowledge.ts';
import { seeded } from '../../packages/server/tests/support/seeded.ts';
import { openStoreOf } from './open-store.ts';

const WORDS = 60_000;
const WORDS_PER_PASSAGE = 90;
export const PASSAGES_PER_DOCUMENT = 10;
const AT_ONCE = 8;
export const DEPARTMENTS = 1000;

const random = seeded(7);
const cumulative: number[] = [];
{
  let sum = 0;
  // Zipf's law, as natural languages have it.
  for (let rank = 1; rank <= WORDS; rank += 1) {
    sum += 1 / (rank + 2.7);
    cumulative.push(sum);
  }
}

/** A word by its rank among the words, 0 being the most common. */
export function word(rank: number): string {
  return `w${rank.toString(36)}`;
}

function someWord(): string {
  const wanted = random.next() * (cumulative.at(-1) ?? 0);
  let low = 0;
  let high = WORDS - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cumulative[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return word(low);
}

/** Words with their natural frequencies. */
export function text(words: number): string {
  return Array.from({ length: words }, someWord).join(' ');
}

/**
 * Fills a space with documents that are ready, through the parts of the product that store them; the
 * service must not run. Each department has a thousandth of them, four in ten are public.
 */
export async function fillKnowledge(
  directory: string,
  spaceId: string,
  passages: number,
): Promise<void> {
  await using store = await openStoreOf(directory);
  const engine = store.knowledge;
  const documents = createDocumentChanges(engine);
  const count = Math.ceil(passages / PASSAGES_PER_DOCUMENT);
  await inParallel(Array(count).keys().toArray(), AT_ONCE, async (done) => {
    const metadata = {
      department: `d${done % DEPARTMENTS}`,
      level: random.below(10),
      tags: random.next() < 0.4 ? ['public'] : ['internal', 'draft'],
    };
    const fileName = `${text(2)} ${done}.txt`;
    const now = new Date().toISOString();
    const row = {
      id: randomUUIDv7(),
      space_id: spaceId,
      file_name: fileName,
      file_name_folded: fold(fileName),
      mime_type: 'text/plain',
      language: null,
      size: 1,
      sha256: createHash('sha256').update(fileName).digest('hex'),
      ...metadataColumns(metadata),
      created_at: now,
      updated_at: now,
    };
    await documents.insert(row, new Uint8Array(1), valuesOf(metadata));
    if (done % 5000 === 4999) process.stderr.write(`${done + 1} of ${count} documents\n`);
  });
  for (;;) {
    const unread = await engine.db
      .selectFrom('documents')
      .where('state', '=', 'processing')
      .select(['number', 'space_id', 'file_name'])
      .limit(1000)
      .execute();
    if (unread.length === 0) break;
    await inParallel(unread, AT_ONCE, async ({ number, file_name: fileName }) => {
      const some = Array.from({ length: PASSAGES_PER_DOCUMENT }, () => ({
        heading: [text(2)],
        text: text(WORDS_PER_PASSAGE),
      }));
      await engine.index.insert({ spaceId, number, fileName, title: null }, 0, some);
    });
    await engine.db
      .updateTable('documents')
      .set({ state: 'ready', passages: PASSAGES_PER_DOCUMENT })
      .where('space_id', '=', spaceId)
      .where(
        'number',
        'in',
        unread.map(({ number }) => number),
      )
      .execute();
  }
  if (ON_POSTGRES) await settle(directory);
}

/** What the server does by itself within a minute or so. */
async function settle(directory: string): Promise<void> {
  const client = await connectTo(directory);
  await client.query('vacuum analyze');
  await client.end();
}
