import type { DatabaseSync } from 'node:sqlite';
import { toWords } from '../../event-log/stored-texts.ts';
import type { CopyCounters } from '../../ports/copy.ts';
import { KEY_BYTES } from '../event-log/identity-keys.ts';
import { SegmentStore } from '../event-log/segment-store.ts';
import { flush } from '../event-log/segments.ts';

/** Size of a segment of the second level; see `IdentityIndex`. */
const BLOCK_BITS = 11;
const KEYS_PER_SEGMENT = 448_000;
const BLOCKS_PER_SEGMENT = 2 ** 24;

const COVERED =
  "(select coalesce(max(through_batch), 0) from identity_segments where state = 'live')";

export async function* readIdentities(db: DatabaseSync): AsyncGenerator<Uint8Array> {
  const segments = db.prepare("select id from identity_segments where state = 'live'").all();
  const blocks = db.prepare(
    'select keys from identity_blocks where id between ? and ? order by id',
  );
  for (const { id } of segments) {
    const first = Number(id) * BLOCKS_PER_SEGMENT;
    for (const { keys } of blocks.iterate(first, first + BLOCKS_PER_SEGMENT - 1))
      yield keys as Uint8Array;
  }
  const rows = db.prepare(`select identities from event_batches where id > ${COVERED} order by id`);
  for (const { identities } of rows.iterate()) yield identities as Uint8Array;
}

export function hasSegments(db: DatabaseSync): boolean {
  return db.prepare('select 1 from identity_segments limit 1').get() !== undefined;
}

export async function writeIdentities(
  db: DatabaseSync,
  identities: () => AsyncIterable<Uint8Array>,
  inTransaction: (work: () => void) => void,
): Promise<void> {
  inTransaction(() => {
    db.exec('delete from identity_blocks');
    db.exec('delete from identity_segments');
  });
  const newest = db.prepare('select coalesce(max(id), 0) as id from event_batches').get();
  const store = new SegmentStore(db);
  let chunks: Uint8Array[] = [];
  let count = 0;
  const write = (): void => {
    const words = toWords(Buffer.concat(chunks));
    inTransaction(() => {
      flush(store, words, BLOCK_BITS, Number(newest?.['id']));
    });
    chunks = [];
    count = 0;
  };
  for await (const chunk of identities()) {
    chunks.push(chunk);
    count += chunk.byteLength / KEY_BYTES;
    if (count >= KEYS_PER_SEGMENT) write();
  }
  if (count > 0) write();
}

export function readCounters(db: DatabaseSync): CopyCounters {
  const sequence = db.prepare('select seq from sqlite_sequence where name = ?');
  const seqOf = (name: string) => Number(sequence.get(name)?.['seq'] ?? 0);
  const ordinals = db.prepare('select max(last_document) as last from knowledge_spaces').get();
  return {
    bots: seqOf('bots'),
    knowledgeSpaces: seqOf('knowledge_spaces'),
    ordinals: Number(ordinals?.['last'] ?? 0),
  };
}

/** Sets the counters. In every space, new document numbers continue after the highest number of any space. */
export function writeCounters(db: DatabaseSync, counters: CopyCounters): void {
  const drop = db.prepare('delete from sqlite_sequence where name = ?');
  const insert = db.prepare('insert into sqlite_sequence (name, seq) values (?, ?)');
  const values = { bots: counters.bots, knowledge_spaces: counters.knowledgeSpaces };
  for (const [name, seq] of Object.entries(values)) {
    drop.run(name);
    insert.run(name, seq);
  }
  db.prepare('update knowledge_spaces set last_document = ?').run(counters.ordinals);
}
