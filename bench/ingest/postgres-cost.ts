// Measures what each operation costs a PostgreSQL server: CPU time of all its processes, bytes of write-ahead log and bytes of storage.
// bench/model uses the results. Other work on the machine hardly affects these totals.

import { randomBytes, randomUUID } from 'node:crypto';
import { startPostgres } from '@gatehouse/filter/tests/postgres';
import pg from 'pg';
import { createLinkRepository } from '../../packages/server/src/links/links/link.repository.ts';
import { NO_CREATION } from '../../packages/server/src/platform/audit/index.ts';
import type { EventBatch } from '../../packages/server/src/storage/ports/event-store.ts';
import { identityOf } from '../../packages/server/src/storage/ports/event-store.ts';
import { openPostgres } from '../../packages/server/src/storage/postgres/index.ts';
import { machine } from '../lib/machine.ts';
import { numberOptions } from '../lib/options.ts';
import { postgresCpu } from '../lib/postgres-cpu.ts';
import { round } from '../lib/spread.ts';

const { events, links, spaces } = numberOptions({ events: 400_000, links: 20_000, spaces: 20 });
const EVENTS_PER_REQUEST = 100;
const EVENT_BYTES = 500;
const CONCURRENCY = 16;

await using server = await startPostgres(true);
const home = server.connection.host;
const url = `postgres://gatehouse@localhost/postgres?host=${encodeURIComponent(home)}`;
await using store = await openPostgres({
  url,
  connections: 10,
  queueBytes: 64 * 1024 * 1024,
  onError: (error) => console.error(error),
  onWarning: (text) => console.error(text),
});
const { db } = store;
const spaceIds = Array.from({ length: spaces }, () => randomUUID());
for (const id of spaceIds)
  await db.insertInto('spaces').values({ id, name: 'bench', created_at: 0 }).execute();
const repository = createLinkRepository(db);

await append(events / 10);
const event = await costOf(events, append);
const link = await costOf(links, makeLinks);
const exchange = await costOf(links, readLinks);
console.log(JSON.stringify({ machine: machine(), event, link, exchange }, null, 2));

async function append(count: number): Promise<void> {
  await concurrently(count / EVENTS_PER_REQUEST, async (index) => {
    await store.events.append([batchFor(spaceIds[index % spaces] ?? '')]);
  });
}

function batchFor(spaceId: string): EventBatch {
  const texts: string[] = [];
  const identities: string[] = [];
  for (let index = 0; index < EVENTS_PER_REQUEST; index += 1) {
    const id = randomUUID();
    const source = 'https://shop.example.com/orders';
    const start = `{"specversion":"1.0","id":"${id}","source":"${source}","type":"com.example.order.updated","time":"2026-10-18T09:30:00Z","data":{"note":"`;
    const filler = randomBytes(EVENT_BYTES).toString('base64url');
    texts.push(`${start}${filler.slice(0, EVENT_BYTES - start.length - 3)}"}}`);
    identities.push(identityOf(spaceId, source, id));
  }
  const bytes = Buffer.from(texts.join(''));
  let end = 0;
  const ends = Uint32Array.from(texts, (text) => {
    end += text.length;
    return end;
  });
  const copy = new Uint8Array(bytes);
  return { spaceId, receivedAt: Date.now(), texts: copy, ends, identities: identities.join('') };
}

async function makeLinks(count: number): Promise<void> {
  await concurrently(count, async (index) => {
    const link = {
      id: randomUUID(),
      space_id: spaceIds[index % spaces] ?? '',
      token_hash: `hash-${index}`,
      token_prefix: 'abcdef',
      sub: `user-${index}`,
      payload: JSON.stringify({ v: 1, sub: `user-${index}`, permissionFilter: { team: 'red' } }),
      user_information: null,
      bot_id: null,
      exp: 2e9,
      created_at: Date.now(),
      restricted: 0,
      warnings: '[]',
      ...NO_CREATION,
    };
    await store.writeAtomically([repository.insertion(link)]);
  });
}

/** Runs the query that an exchange needs to find its link. Each request of a widget session runs a similar query. */
async function readLinks(count: number): Promise<void> {
  await concurrently(count, async (index) => {
    await repository.findByToken(`hash-${index}`);
  });
}

async function concurrently(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const one = async () => {
    while (next < count) {
      next += 1;
      await work(next - 1);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, one));
}

interface Cost {
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
  readonly walBytes: number;
  readonly keptBytes: number;
}

async function costOf(count: number, work: (count: number) => Promise<void>): Promise<Cost> {
  const before = await state();
  const startedAt = performance.now();
  await work(count);
  const seconds = (performance.now() - startedAt) / 1000;
  const after = await state();
  const each = (name: keyof typeof before) => round((after[name] - before[name]) / count);
  return {
    perSecond: round(count / seconds),
    cpuMicroseconds: each('cpu'),
    walBytes: each('wal'),
    keptBytes: each('kept'),
  };
}

async function state() {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    "select pg_current_wal_lsn() - '0/0'::pg_lsn as wal, pg_database_size(current_database()) as kept",
  );
  await client.end();
  return { cpu: postgresCpu(home), wal: Number(rows[0].wal), kept: Number(rows[0].kept) };
}
