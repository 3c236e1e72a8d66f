// A target of webhooks in a process of its own, that knows only as much HTTP as undici needs, so that it leaves
// the machine to what is measured. It counts, and notes how old each event is by the time in its id.
import { createServer } from 'node:net';

export interface ReceiverStats {
  readonly count: number;
  /** Milliseconds since the epoch, of the first and the last request since the last reset. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** Milliseconds from the time in an event's id to its arrival. */
  readonly lags: readonly number[];
}

/** `id` is the second member of an event of `events.ts`, and begins with the time. */
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
      note(received.subarray(bodyAt, bodyAt + length));
      received = received.subarray(bodyAt + length);
      socket.write(ANSWER);
    }
  });
});

function note(body: Buffer): void {
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
