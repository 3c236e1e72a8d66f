import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { toBytes, toStored, toWords } from '../../event-log/stored-texts.ts';
import type { EventBatch } from '../../ports/event-store.ts';
import { IdentityIndex } from './identity-index.ts';
import { KEY_BYTES, KEY_WORDS } from './identity-keys.ts';

const MAX_HEADS = 10_000;

/** The write operations of the event log. The writer thread calls them inside its transactions. */
export class EventLog {
  readonly #identities: IdentityIndex;
  readonly #insertBatch: StatementSync;
  readonly #readHead: StatementSync;
  readonly #writeHead: StatementSync;
  readonly #markForKnowledge: StatementSync;
  readonly #heads = new Map<string, number>();
  #lastBatch: number;
  #newestBatch: number;

  private constructor(db: DatabaseSync) {
    this.#identities = IdentityIndex.open(db);
    this.#insertBatch = db.prepare(
      'insert into event_batches (id, space_id, last_position, count, received_at, encoding, identities, ends, texts) values (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#readHead = db.prepare('select last_position from event_heads where space_id = ?');
    this.#writeHead = db.prepare(
      'insert into event_heads (space_id, last_position, bytes) values (?, ?, ?) on conflict (space_id) do update set last_position = excluded.last_position, bytes = bytes + excluded.bytes',
    );
    this.#markForKnowledge = db.prepare(
      'insert into event_knowledge_batches (space_id, last_position) values (?, ?)',
    );
    const covered = db.prepare('select max(through_batch) as id from identity_segments').get();
    const newest = db.prepare('select max(id) as id from event_batches').get();
    // Retention may have removed the newest rows after their identities were moved to segments.
    this.#newestBatch = Math.max(Number(covered?.['id'] ?? 0), Number(newest?.['id'] ?? 0));
    this.#lastBatch = this.#newestBatch;
  }

  /** Opens the log and loads the identity index. The schema must be up to date. */
  static open(db: DatabaseSync): EventLog {
    return new EventLog(db);
  }

  append(batch: EventBatch): number {
    const identities = Buffer.from(batch.identities, 'latin1');
    const added = this.#addNew(toWords(identities));
    if (added.length > 0) this.#insert(batch, selectEvents(batch, identities, added), added.length);
    return added.length;
  }

  #addNew(words: Uint32Array): number[] {
    const added: number[] = [];
    for (let at = 0; at < words.length; at += KEY_WORDS) {
      if (this.#identities.has(words, at)) continue;
      this.#identities.add(words, at);
      added.push(at / KEY_WORDS);
    }
    return added;
  }

  #insert(batch: EventBatch, added: NewEvents, count: number): void {
    const position = this.#head(batch.spaceId) + count;
    const texts = toStored(added.texts);
    const ends = toBytes(added.ends);
    this.#lastBatch += 1;
    this.#insertBatch.run(
      this.#lastBatch,
      batch.spaceId,
      position,
      count,
      batch.receivedAt,
      texts.encoding,
      added.identities,
      ends,
      texts.bytes,
    );
    this.#writeHead.run(batch.spaceId, position, ends.byteLength + texts.bytes.byteLength);
    if (batch.feedsKnowledge === true) this.#markForKnowledge.run(batch.spaceId, position);
    this.#heads.set(batch.spaceId, position);
  }

  #head(spaceId: string): number {
    return this.#heads.get(spaceId) ?? Number(this.#readHead.get(spaceId)?.['last_position'] ?? 0);
  }

  committed(): void {
    this.#newestBatch = this.#lastBatch;
    this.#identities.committed();
    if (this.#heads.size > MAX_HEADS) this.#heads.clear();
  }

  rolledBack(): void {
    this.#lastBatch = this.#newestBatch;
    this.#heads.clear();
    this.#identities.rolledBack();
  }

  get needsMaintenance(): boolean {
    return this.#identities.needsMaintenance;
  }

  maintain(): () => void {
    return this.#identities.maintain(this.#newestBatch);
  }
}

interface NewEvents {
  readonly identities: Uint8Array;
  readonly ends: Uint32Array;
  readonly texts: Uint8Array;
}

/**
 * Returns the events of a batch at the given indexes. Does not copy if all events are selected.
 *
 * @param identities concatenated identities of the whole batch.
 */
function selectEvents(
  batch: EventBatch,
  identities: Uint8Array,
  indexes: readonly number[],
): NewEvents {
  const { ends, texts } = batch;
  if (indexes.length === ends.length) return { identities, ends, texts };
  const added = indexes.map((index) =>
    texts.subarray(index === 0 ? 0 : ends[index - 1], ends[index]),
  );
  let end = 0;
  return {
    identities: Buffer.concat(
      indexes.map((index) => identities.subarray(index * KEY_BYTES, (index + 1) * KEY_BYTES)),
    ),
    ends: Uint32Array.from(added, (text) => {
      end += text.byteLength;
      return end;
    }),
    texts: Buffer.concat(added),
  };
}
