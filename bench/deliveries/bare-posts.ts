// Upper bound for webhook deliveries: a separate process posts the same bodies with undici, without signatures.
import { Pool } from 'undici';
import { makeEvent } from './events.ts';

const { port, count, bytes, subjects, connections } = JSON.parse(process.argv[2] ?? '{}') as {
  port: number;
  count: number;
  bytes: number;
  subjects: number;
  connections: number;
};
const pool = new Pool(`http://127.0.0.1:${port}`, { connections, pipelining: 1, allowH2: false });
const headers = { 'content-type': 'application/cloudevents+json' };
let sent = 0;

async function postUntilDone(): Promise<void> {
  while (sent < count) {
    sent += 1;
    const body = makeEvent(bytes, subjects);
    await new Promise<void>((resolve, reject) => {
      pool.dispatch(
        { path: '/hook', method: 'POST', headers, body },
        {
          onRequestStart: () => {},
          onResponseStart: () => {},
          onResponseData: () => {},
          onResponseEnd: () => resolve(),
          onResponseError: (_, error) => reject(error),
        },
      );
    });
  }
}

await Promise.all(Array.from({ length: connections }, postUntilDone));
await pool.close();
