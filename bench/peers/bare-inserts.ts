// Inserts events as fast as a bare client can, in a process of its own: a BareInserts as JSON on standard input,
// events a second on standard output. A row an event, with its identity as the key and its text.
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

const begun = performance.now();
const end = begun + request.seconds * 1000;
let inserted = 0;
await Promise.all(Array.from({ length: connections }, keepInserting));
process.stdout.write(String(inserted / ((performance.now() - begun) / 1000)));
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

/** What stands behind the id of an event, as our own load has it. */
function endOf(): string {
  const event = (note: string) =>
    `,"source":"${SOURCE}","type":"com.example.order.updated","time":"2026-10-18T09:30:00Z","subject":"order/1000","data":{"order":1001,"lines":[{"sku":"LAMP-7","quantity":2,"price":24.95}],"paid":true,"note":"${note}"}}`;
  const left = eventBytes - event('').length - '{"specversion":"1.0","id":""'.length - 36;
  return event(randomBytes(Math.max(0, left)).toString('base64url').slice(0, Math.max(0, left)));
}
