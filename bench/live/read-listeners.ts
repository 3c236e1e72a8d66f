import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { now, StampReader } from '../chat/stamp.ts';

export interface ListenersOptions {
  readonly port: number;
  /** Complete HTTP/1.1 request, sent on each connection. */
  readonly request: string;
  readonly listeners: number;
  /** Period over which the streams are opened at regular intervals, in milliseconds. */
  readonly withinMs: number;
  /** Text before the time stamp of an event. */
  readonly mark: string;
  readonly events: number;
  /** Time to wait for the events after all streams are open, in milliseconds. */
  readonly waitMs: number;
}

export interface ListenersResult {
  readonly complete: number;
  readonly fewest: number;
  /** Time from sending an event, which its time stamp records, to its arrival, in milliseconds. */
  readonly lag: { readonly p50: number; readonly p99: number; readonly max: number };
  readonly worstMean: number;
}

/**
 * Opens all streams and reads them until each has received every event. Throws if a request is rejected.
 *
 * @param opened called when all streams are open.
 */
export async function readListeners(
  options: ListenersOptions,
  opened: () => void,
): Promise<ListenersResult> {
  const { listeners, events, withinMs, waitMs } = options;
  const lags = new Float32Array(listeners * events);
  const counts = new Uint32Array(listeners);
  let complete = 0;
  const done = Promise.withResolvers<void>();
  const record = (listener: number, lag: number) => {
    const count = counts[listener] ?? 0;
    if (count === events) throw new Error('a listener received more events than were sent');
    lags[listener * events + count] = lag;
    counts[listener] = count + 1;
    if (count + 1 < events) return;
    complete += 1;
    if (complete === listeners) done.resolve();
  };
  await Promise.all(
    Array.from({ length: listeners }, async (_, listener) => {
      await sleep((listener * withinMs) / listeners);
      await openStream(options, (lag) => record(listener, lag));
    }),
  );
  opened();
  await Promise.race([done.promise, sleep(waitMs)]);
  const received = lags.filter(
    (_, place) => place % events < (counts[Math.floor(place / events)] ?? 0),
  );
  const means = Array.from(counts, (count, listener) => {
    const own = lags.subarray(listener * events, listener * events + count);
    return own.reduce((sum, lag) => sum + lag, 0) / count;
  });
  received.sort();
  const at = (part: number) =>
    received[Math.min(received.length - 1, Math.floor(received.length * part))];
  return {
    complete,
    fewest: counts.reduce((minimum, count) => Math.min(minimum, count), events),
    lag: { p50: at(0.5) ?? NaN, p99: at(0.99) ?? NaN, max: received.at(-1) ?? NaN },
    worstMean: means.reduce((maximum, mean) => Math.max(maximum, mean), 0),
  };
}

function openStream(
  { port, request, mark }: ListenersOptions,
  record: (lag: number) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stamps = new StampReader(mark);
  const socket = connect(port, '127.0.0.1').setNoDelay(true).setEncoding('latin1');
  let isOpen = false;
  socket.once('connect', () => socket.write(request));
  socket.on('data', (piece) => {
    const arrived = now();
    const text = String(piece);
    if (!isOpen) {
      if (!text.startsWith('HTTP/1.1 200')) return void socket.destroy(new Error(text));
      isOpen = true;
      resolve();
    }
    for (const stamp of stamps.read(text)) record((arrived - stamp) / 1000);
  });
  socket.once('error', reject);
  socket.once('close', () => reject(new Error('a stream ended')));
  return promise;
}
