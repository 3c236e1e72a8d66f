import { parentPort, workerData } from 'node:worker_threads';
import type { EventPage, EventQuery } from '../../ports/event-store.ts';
import { openForReading } from './connection.ts';
import { createPageReader } from './event-log/read-page.ts';
import { type Failure, toFailure } from './failure.ts';

export type ReadReply =
  | { readonly ok: true; readonly page: EventPage }
  | { readonly ok: false; readonly failure: Failure };

const port = parentPort;
if (port === null) throw new Error('this file runs as a worker thread');

const readPage = createPageReader(openForReading((workerData as { file: string }).file));

port.on('message', (query: EventQuery) => {
  port.postMessage(answer(query));
});

function answer(query: EventQuery): ReadReply {
  try {
    return { ok: true, page: readPage(query) };
  } catch (error) {
    return { ok: false, failure: toFailure(error) };
  }
}
