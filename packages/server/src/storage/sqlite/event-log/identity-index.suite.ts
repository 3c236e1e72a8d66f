import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { toBytes } from '../../event-log/stored-texts.ts';
import { schemaOf } from '../open-database.suite.ts';
import { openStore, temporaryDirectory } from '../open-store.suite.ts';
import { IdentityIndex } from './identity-index.ts';
import { KEY_WORDS } from './identity-keys.ts';
import { keysOf } from './keys.suite.ts';

/** Small sizes, so that a few thousand keys reach three levels. */
const SIZES = {
  recentKeys: 64,
  blockBits: 2,
  flushedPerStep: 2,
  mergedPerStep: 3,
  droppedPerStep: 5,
};

const SCHEMA = await schemaOfStore();

async function schemaOfStore(): Promise<string> {
  using directory = temporaryDirectory();
  await using _store = await openStore(directory.path);
  const statements = schemaOf(join(directory.path, 'gatehouse.db'));
  return statements
    .filter((statement) => /event_(?:batches|heads)|identity_/.test(statement))
    .join(';');
}

/** An index in an in-memory database, called in the same way as by the writer thread. Keys are numbers. */
export class IndexHarness {
  readonly db = new DatabaseSync(':memory:');
  #index: IdentityIndex;
  #newestBatch = 0;

  constructor() {
    this.db.exec(SCHEMA);
    this.#index = IdentityIndex.open(this.db, SIZES);
  }

  add(numbers: readonly number[], end: 'commit' | 'rollback' = 'commit'): number[] {
    const words = keysOf(numbers);
    const added = numbers.filter((_, index) => {
      const at = index * KEY_WORDS;
      if (this.#index.has(words, at)) return false;
      this.#index.add(words, at);
      return true;
    });
    if (end === 'rollback') {
      this.#index.rolledBack();
      return added;
    }
    if (added.length > 0) {
      this.#newestBatch += 1;
      this.db
        .prepare("insert into event_batches values (?, 's', ?, 1, 0, 'none', ?, x'', x'')")
        .run(this.#newestBatch, this.#newestBatch, toBytes(keysOf(added)));
    }
    this.#index.committed();
    return added;
  }

  has(number: number): boolean {
    return this.#index.has(keysOf([number]), 0);
  }

  maintain(steps: number, end: 'commit' | 'rollback' = 'commit'): number {
    let done = 0;
    for (; done < steps && this.#index.needsMaintenance; done += 1) {
      this.db.exec('begin');
      const apply = this.#index.maintain(this.#newestBatch);
      this.db.exec(end);
      if (end === 'commit') apply();
    }
    return done;
  }

  crash(): void {
    this.#index = IdentityIndex.open(this.db, SIZES);
  }

  count(table: string): number {
    return Number(this.db.prepare(`select count(*) as n from ${table}`).get()?.['n']);
  }
}
