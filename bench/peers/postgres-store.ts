import type { LoadPackage, PeerEvent, PeerStore } from './peer-store.ts';

interface Pool {
  query(statement: string | Prepared): Promise<unknown>;
}

interface Prepared {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** One statement per request. Arrays are the fastest way to insert many rows with `pg`. */
const INSERT =
  'insert into events (source, id, event) select * from unnest($1::text[], $2::text[], $3::json[]) on conflict do nothing';

export async function postgresStore(load: LoadPackage, connection: object): Promise<PeerStore> {
  const { Pool } = load('pg') as { Pool: new (options: object) => Pool };
  const pool = new Pool({ ...connection, max: 8 });
  await pool.query(
    'create table events (source text, id text, event json not null, received_at timestamptz not null default now(), primary key (source, id))',
  );
  return {
    async keep(events: readonly PeerEvent[]) {
      const values = [
        events.map(({ source }) => source),
        events.map(({ id }) => id),
        events.map((event) => JSON.stringify(event)),
      ];
      await pool.query({ name: 'keep', text: INSERT, values });
    },
  };
}
