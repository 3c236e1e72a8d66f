// Inserts events as fast as possible in a separate process, one row per event with the event identity as its key. Standard input:
// BareInserts as JSON. Standard output: events per second.
import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import type { BareInserts } from './spawn-bare-inserts.ts';

const SOURCE = 'https://shop.example.com/orders';
const INSERT =
  'insert into events (source, id, event) select * from unnest($1::text[], $2::text[], $3::text[]) on conflict do nothing';

const input: Buffer[] = [];
for await (const chunk of process.stdin) input.push(chunk as Buffer);
const request = JSON.parse(Buffer.concat(input).toString()) as BareInserts;
const { host, user, database, connections, events, eventBytes } = request;
const pool = new pg.Pool({ host, user, database, max: connections });
await pool.query(
  'create table if not exists events (source text, id text, event text not null, received_at timestamptz not null default now(), primary key (source, id))',
);

const startedAt = performance.now();
const end = startedAt + request.seconds * 1000;
let inserted = 0;
await Promise.all(Array.from({ length: connections }, keepInserting));
process.stdout.write(String(inserted / ((performance.now() - startedAt) / 1000)));
await pool.end();

async function keepInserting(): Promise<void> {
  const client = await pool.connect();
  const sources = Array.from({ length: events }, () => SOURCE);
  const ends = sources.map(endOf);
  while (performance.now() < end) {
    const ids = sources.map(() => randomUUID());
    const texts = ids.map((id, index) => `{"specversion":"1.0","id":"${id}"${ends[index]}`);
    await client.query({ name: 'insert', text: INSERT, values: [sources, ids, texts] });
    inserted += events;
  }
  client.release();
}

/** Returns the text of an event after its ID. The text is the same as in the load for our service. */
function endOf(): string {
  const event = (note: string) =>
    `,"source":"${SOURCE}","type":"com.example.order.updated","time":"2026-10-18T09:30:00Z","subject":"order/1000","data":{"order":1001,"lines":[{"sku":"LAMP-7","quantity":2,"price":24.95}],"paid":true,"note":"${note}"}}`;
  const paddingBytes = eventBytes - event('').length - '{"specversion":"1.0","id":""'.length - 36;
  return event(
    randomBytes(Math.max(0, paddingBytes))
      .toString('base64url')
      .slice(0, Math.max(0, paddingBytes)),
  );
}
