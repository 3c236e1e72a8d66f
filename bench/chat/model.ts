// A fake model in a separate process. It answers every question after a delay, in a fixed number of parts. It pauses before each part.
// The text of a part is its send time or a configured word.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { framesOf, streamOf } from '../../packages/server/tests/support/assistant/fake-model.ts';
import { stamp } from './stamp.ts';

const firstMs = Number(process.env['MODEL_FIRST_MS']);
const pauseMs = Number(process.env['MODEL_PAUSE_MS']);
const parts = Number(process.env['MODEL_PARTS']);
const word = process.env['MODEL_WORD'];
const END = streamOf([]);

const server = createServer(async (request, response) => {
  if (request.method === 'GET') return void response.end();
  for await (const _ of request);
  if (firstMs > 0) await sleep(firstMs);
  await answer(response).catch(() => {});
});
process.once('SIGTERM', () => {
  server.closeAllConnections();
  server.close();
});
server.listen(Number(process.env['GATEHOUSE_PORT']), '127.0.0.1', 4096);

async function answer(response: ServerResponse): Promise<void> {
  const controller = new AbortController();
  response.once('close', () => controller.abort());
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (let part = 0; part < parts && !response.destroyed; part++) {
    if (part > 0 && pauseMs > 0) await sleep(pauseMs);
    const hasRoom = response.write(framesOf([word ?? `${stamp()} `]));
    if (!hasRoom) await once(response, 'drain', controller);
  }
  response.end(END);
}
