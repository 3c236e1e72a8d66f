// A webhook receiver in a separate process. It implements only the parts of HTTP that undici needs, to leave more CPU time for the
// measured service. It counts requests and records the age of each event. The event ID contains the time of sending.
import { createServer } from 'node:net';

export interface ReceiverStats {
  readonly count: number;
  /** Arrival times of the first and the last request since the last reset, in Unix milliseconds. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** Time from the creation of each event to its arrival, in milliseconds. */
  readonly lags: readonly number[];
}

/** Position of the ID in an event from `events.ts`. The ID starts with the time of sending. */
const ID_AT = '{"specversion":"1.0","id":"'.length;
const TIME_LENGTH = 17;
const HEAD_END = Buffer.from('\r\n\r\n');
const ANSWER = Buffer.from('HTTP/1.1 204 No Content\r\n\r\n');

let count = 0;
let firstAt = 0;
let lastAt = 0;
let lags: number[] = [];
const now = () => performance.timeOrigin + performance.now();

const server = createServer((socket) => {
  let received: Buffer = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    for (;;) {
      const headEnd = received.indexOf(HEAD_END);
      if (headEnd === -1) return;
      const head = received.toString('latin1', 0, headEnd);
      const bodyAt = headEnd + HEAD_END.length;
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (received.length < bodyAt + length) return;
      record(received.subarray(bodyAt, bodyAt + length));
      received = received.subarray(bodyAt + length);
      socket.write(ANSWER);
    }
  });
});

function record(body: Buffer): void {
  lastAt = now();
  if (count === 0) firstAt = lastAt;
  count += 1;
  lags.push(lastAt - Number(body.toString('latin1', ID_AT, ID_AT + TIME_LENGTH)));
}

process.on('message', (message) => {
  if (message === 'reset') {
    count = 0;
    lags = [];
    process.send?.('done');
  } else if (message === 'count') process.send?.(count);
  else process.send?.({ count, firstAt, lastAt, lags } satisfies ReceiverStats);
});
process.on('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
