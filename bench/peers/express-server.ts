// A peer for comparison: an ingest service that a team could build with Express, the `cloudevents` package and a database. It validates
// each event with that package, stores each identity once, and responds like our `POST /events`.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { env } from 'node:process';
import type { PeerEvent } from './peer-store.ts';
import { postgresStore } from './postgres-store.ts';
import { redisStore } from './redis-store.ts';

interface Answer {
  status(code: number): Answer;
  json(body: unknown): void;
}
type Handler = (request: { body: { events: object[] } }, answer: Answer) => unknown;
interface App {
  get(path: string, handler: Handler): void;
  post(path: string, reader: unknown, handler: Handler): void;
  listen(port: number, host: string): { close(): void };
}
type Express = (() => App) & { json(options: object): unknown };

const load = createRequire(join(String(env['PEER_FOLDER']), 'package.json'));
const express = load('express') as Express;
const { CloudEvent } = load('cloudevents') as { CloudEvent: new (event: object) => PeerEvent };
const connection = JSON.parse(String(env['PEER_CONNECTION'])) as { host: string };
const store = await (env['PEER_STORE'] === 'redis'
  ? redisStore(load, connection.host)
  : postgresStore(load, connection));

const app = express();
app.get('/readyz', (_, answer) => answer.json({}));
app.post('/events', express.json({ limit: '8mb' }), async ({ body }, answer) => {
  const eventIds: string[] = [];
  const errors: { index: number; error: string }[] = [];
  const events: PeerEvent[] = [];
  for (const [index, sent] of body.events.entries()) {
    try {
      const event = new CloudEvent(sent);
      events.push(event);
      eventIds.push(event.id);
    } catch (error) {
      errors.push({ index, error: String(error) });
    }
  }
  await store.keep(events);
  const failed = errors.length;
  answer.json({ success: failed === 0, processed: events.length, failed, eventIds, errors });
});
app.listen(Number(env['GATEHOUSE_PORT']), '127.0.0.1');
process.once('SIGTERM', () => process.exit(0));
