import { randomUUID } from 'node:crypto';
import type { EventBatch } from '../../ports/event-store.ts';
import type { Store } from '../../ports/store.ts';
import { newDatabase } from '../database.suite.ts';
import { openStore } from '../open-store.suite.ts';
import { openPool, type Pool, type Session } from '../pool.ts';

export interface Replica extends AsyncDisposable {
  readonly url: string;
  readonly store: Store;
  /** Connections that do not belong to the replica. */
  readonly others: Pool;
  addSpace(): Promise<string>;
  /**
   * Begins a transaction on a connection that does not belong to the replica. Disposing of the transaction rolls back uncommitted
   * changes.
   */
  begin(): Promise<Session & AsyncDisposable>;
}

/** @param url database shared with other replicas. Default: a new database. */
export async function openReplica(url?: string): Promise<Replica> {
  const database = url ?? (await newDatabase());
  const store = await openStore(database, { onError: () => {} });
  const others = openPool({ url: database, connections: 4, onError: () => {} });
  return {
    url: database,
    store,
    others,
    addSpace: async () => {
      const id = randomUUID();
      await store.db.insertInto('spaces').values({ id, name: id, created_at: 1 }).execute();
      return id;
    },
    begin: () => begin(others),
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]();
      await others[Symbol.asyncDispose]();
    },
  };
}

async function begin(pool: Pool): Promise<Session & AsyncDisposable> {
  const started = Promise.withResolvers<Session>();
  const ended = Promise.withResolvers<void>();
  const held = pool.hold(async (session) => {
    await session.run('begin');
    started.resolve(session);
    await ended.promise;
  });
  held.catch(started.reject);
  const session = await started.promise;
  return {
    run: session.run,
    [Symbol.asyncDispose]: async () => {
      ended.resolve();
      await held;
    },
  };
}

export function toUuids({ identities }: EventBatch): string[] {
  return Buffer.from(identities, 'latin1').toString('hex').match(/.{32}/g) ?? [];
}
