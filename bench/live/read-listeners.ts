import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { now, StampReader } from '../chat/stamp.ts';

export interface ListenersOptions {
  readonly port: number;
  /** A whole HTTP/1.1 request, sent on each connection. */
  readonly request: string;
  readonly listeners: number;
  /** They are opened one after the other in this time, milliseconds. */
  readonly withinMs: number;
  /** What stands before an event's stamp. */
  readonly mark: string;
  /** Events that each is to hear. */
  readonly events: number;
  /** How long to wait for them when all are open, milliseconds. */
  readonly patienceMs: number;
}

export interface ListenersResult {
  /** Listeners that heard every event. */
  readonly whole: number;
  /** Events that the listener with the fewest heard. */
  readonly fewest: number;
  /** From an event's stamp to its arrival, milliseconds. */
  readonly lag: { readonly p50: number; readonly p99: number; readonly max: number };
  /** The largest mean lag of one listener. */
  readonly worstMean: number;
}

/**
 * Opens all streams, says so, and reads them until each has heard every event. Throws when one is refused.
 *
 * @param opened called when all of them are open.
 */
export async function readListeners(
  options: ListenersOptions,
  opened: () => void,
): Promise<ListenersResult> {
  const { listeners, events, withinMs, patienceMs } = options;
  const lags = new Float32Array(listeners * events);
  const counts = new Uint32Array(listeners);
  let whole = 0;
  const done = Promise.withResolvers<void>();
  const hear = (listener: number, lag: number) => {
    const count = counts[listener] ?? 0;
    if (count === events) throw new Error('an event was heard twice');
    lags[listener * events + count] = lag;
    counts[listener] = count + 1;
    if (count + 1 < events) return;
    whole += 1;
    if (whole === listeners) done.resolve();
  };
  await Promise.all(
    Array.from({ length: listeners }, async (_, listener) => {
      await sleep((listener * withinMs) / listeners);
      await openStream(options, (lag) => hear(listener, lag));
    }),
  );
  opened();
  await Promise.race([done.promise, sleep(patienceMs)]);
  const heard = lags.filter(
    (_, place) => place % events < (counts[Math.floor(place / events)] ?? 0),
  );
  const means = Array.from(counts, (count, listener) => {
    const own = lags.subarray(listener * events, listener * events + count);
    return own.reduce((sum, lag) => sum + lag, 0) / count;
  });
  heard.sort();
  const at = (part: number) => heard[Math.min(heard.length - 1, Math.floor(heard.length * part))];
  return {
    whole,
    fewest: counts.reduce((least, count) => Math.min(least, count), events),
    lag: { p50: at(0.5) ?? NaN, p99: at(0.99) ?? NaN, max: heard.at(-1) ?? NaN },
    worstMean: means.reduce((most, mean) => Math.max(most, mean), 0),
  };
}

/** Resolves when the answer has begun. */
function openStream(
  { port, request, mark }: ListenersOptions,
  hear: (lag: number) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stamps = new StampReader(mark);
  const socket = connect(port, '127.0.0.1').setNoDelay(true).setEncoding('latin1');
  let begun = false;
  socket.once('connect', () => socket.write(request));
  socket.on('data', (piece) => {
    const arrived = now();
    const text = String(piece);
    if (!begun) {
      if (!text.startsWith('HTTP/1.1 200')) return void socket.destroy(new Error(text));
      begun = true;
      resolve();
    }
    for (const stamp of stamps.read(text)) hear((arrived - stamp) / 1000);
  });
  socket.once('error', reject);
  socket.once('close', () => reject(new Error('a stream ended')));
  return promise;
}
