import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { now, StampReader } from './stamp.ts';

export interface StreamsOptions {
  readonly port: number;
  /** Complete HTTP/1.1 requests, each sent on a separate connection. */
  readonly requests: readonly string[];
  /** Text before the time stamp of a part. */
  readonly mark: string;
  /** Period over which the requests are started at regular intervals, in milliseconds. */
  readonly withinMs: number;
}

/** Times in milliseconds. */
export interface Times {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface StreamsResult {
  /** Number of answers that ended without an error. */
  readonly complete: number;
  readonly parts: number;
  readonly firstByte: Times;
  readonly firstPart: Times;
  /** Time from sending a part, which its time stamp records, to its arrival. */
  readonly lag: Times;
  readonly meanLag: Times;
  /** Time between two parts of a stream. */
  readonly gap: Times;
  /** Time between the first and the last part of a stream. */
  readonly duration: Times;
}

interface Stream {
  firstByte: number;
  firstPart: number;
  last: number;
  lags: number[];
  gaps: number[];
  complete: boolean;
}

export async function readStreams(options: StreamsOptions): Promise<StreamsResult> {
  const { requests, withinMs } = options;
  const all = await Promise.all(
    requests.map(async (request, index) => {
      await sleep((index * withinMs) / requests.length);
      return readStream(options, request);
    }),
  );
  const streams = all.filter((stream) => stream.lags.length > 0);
  const lags = streams.flatMap((stream) => stream.lags);
  return {
    complete: streams.filter(({ complete }) => complete).length,
    parts: lags.length,
    firstByte: timesOf(streams.map(({ firstByte }) => firstByte)),
    firstPart: timesOf(streams.map(({ firstPart }) => firstPart)),
    lag: timesOf(lags),
    meanLag: timesOf(streams.map((stream) => sum(stream.lags) / stream.lags.length)),
    gap: timesOf(streams.flatMap((stream) => stream.gaps)),
    duration: timesOf(streams.map((stream) => sum(stream.gaps))),
  };
}

function readStream({ port, mark }: StreamsOptions, request: string): Promise<Stream> {
  const stream: Stream = {
    firstByte: 0,
    firstPart: 0,
    last: 0,
    lags: [],
    gaps: [],
    complete: false,
  };
  const stamps = new StampReader(mark);
  const { promise, resolve, reject } = Promise.withResolvers<Stream>();
  const socket = connect(port, '127.0.0.1').setNoDelay(true).setEncoding('latin1');
  let sent = 0;
  let head = '';
  let tail = '';
  socket.once('connect', () => {
    sent = now();
    socket.write(request);
  });
  socket.on('data', (text) => {
    const arrived = now();
    let body = String(text);
    if (stream.firstByte === 0) {
      head += body;
      const end = head.indexOf('\r\n\r\n');
      if (end === -1 || end + 4 === head.length) return;
      if (!head.startsWith('HTTP/1.1 200')) return void socket.destroy(new Error(head));
      body = head.slice(end + 4);
      stream.firstByte = (arrived - sent) / 1000;
    }
    for (const stamp of stamps.read(body)) {
      stream.lags.push((arrived - stamp) / 1000);
      if (stream.last === 0) stream.firstPart = (arrived - sent) / 1000;
      else stream.gaps.push((arrived - stream.last) / 1000);
      stream.last = arrived;
    }
    tail = (tail + body).slice(-512);
    if (!tail.includes('data: [DONE]')) return;
    stream.complete = stream.lags.length > 0 && !tail.includes('"errorText"');
    socket.destroy();
  });
  socket.once('error', reject);
  socket.once('close', () => resolve(stream));
  return promise;
}

function timesOf(values: readonly number[]): Times {
  const sorted = Float64Array.from(values).sort();
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  return { p50: at(0.5) ?? NaN, p99: at(0.99) ?? NaN, max: sorted.at(-1) ?? NaN };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
