import { createHash, randomUUIDv7 } from 'node:crypto';
import { fold } from '../../packages/filter/src/index.ts';
import {
  metadataColumns,
  valuesOf,
} from '../../packages/server/src/knowledge/documents/document.rules.ts';
import { createDocumentChanges } from '../../packages/server/src/knowledge/documents/document-changes.repository.ts';
import { inParallel } from '../../packages/server/tests/support/knowledge/knowledge.ts';
import { seeded } from '../../packages/server/tests/support/seeded.ts';
import { connectTo, ON_POSTGRES } from '../../packages/server/tests/support/storage/backend.ts';
import { openStoreOf } from './open-store.ts';

const WORDS = 60_000;
const WORDS_PER_PASSAGE = 90;
export const PASSAGES_PER_DOCUMENT = 10;
const CONCURRENCY = 8;
export const DEPARTMENTS = 1000;

const random = seeded(7);
const cumulative: number[] = [];
{
  let sum = 0;
  // Word frequencies follow Zipf's law, as in natural languages.
  for (let rank = 1; rank <= WORDS; rank += 1) {
    sum += 1 / (rank + 2.7);
    cumulative.push(sum);
  }
}

/** Returns the word with a rank. Rank 0 is the most common word. */
export function word(rank: number): string {
  return `w${rank.toString(36)}`;
}

function someWord(): string {
  const target = random.next() * (cumulative.at(-1) ?? 0);
  let low = 0;
  let high = WORDS - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cumulative[middle] ?? 0) < target) low = middle + 1;
    else high = middle;
  }
  return word(low);
}

export function text(words: number): string {
  return Array.from({ length: words }, someWord).join(' ');
}

/**
 * Fills a space with indexed documents through the product's repositories. The service must not run. Each of 1,000 departments has the same
 * number of documents, and 40 % of the documents are public.
 *
 * @param words number of words per passage.
 */
export async function fillKnowledge(
  directory: string,
  spaceId: string,
  passages: number,
  words = WORDS_PER_PASSAGE,
): Promise<void> {
  await using store = await openStoreOf(directory);
  const engine = store.knowledge;
  const documents = createDocumentChanges(engine);
  const count = Math.ceil(passages / PASSAGES_PER_DOCUMENT);
  await inParallel(Array(count).keys().toArray(), CONCURRENCY, async (index) => {
    const metadata = {
      department: `d${index % DEPARTMENTS}`,
      level: random.below(10),
      tags: random.next() < 0.4 ? ['public'] : ['internal', 'draft'],
    };
    const fileName = `${text(2)} ${index}.txt`;
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
    if (index % 5000 === 4999) process.stderr.write(`${index + 1} of ${count} documents\n`);
  });
  for (;;) {
    const unread = await engine.db
      .selectFrom('documents')
      .where('state', '=', 'processing')
      .select(['number', 'space_id', 'file_name'])
      .limit(1000)
      .execute();
    if (unread.length === 0) break;
    await inParallel(unread, CONCURRENCY, async ({ number, file_name: fileName }) => {
      const newPassages = Array.from({ length: PASSAGES_PER_DOCUMENT }, () => ({
        heading: [text(2)],
        text: text(words),
      }));
      await engine.index.insert({ spaceId, number, fileName, title: null }, 0, newPassages);
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
  if (ON_POSTGRES) await vacuum(directory);
}

/** Runs the maintenance that the server would perform within about a minute. */
async function vacuum(directory: string): Promise<void> {
  const client = await connectTo(directory);
  await client.query('vacuum analyze');
  await client.end();
}
