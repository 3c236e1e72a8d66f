import { parentPort, workerData } from 'node:worker_threads';
import type { EventPage, EventQuery } from '../../ports/event-store.ts';
import { openForReading } from './connection.ts';
import { readPage } from './event-log/read-page.ts';

export interface ReadRequest {
  readonly id: number;
  readonly query: EventQuery;
}

export interface ReadReply {
  readonly id: number;
  readonly page: EventPage | null;
  readonly error: string | null;
}

const port = parentPort;
if (port === null) throw new Error('this file runs as a worker thread');

const db = openForReading((workerData as { file: string }).file);

port.on('message', ({ id, query }: ReadRequest) => {
  try {
    port.postMessage({ id, page: readPage(db, query), error: null } satisfies ReadReply);
  } catch (error) {
    port.postMessage({
      id,
      page: null,
      error: String((error as Error).message),
    } satisfies ReadReply);
  }
});
