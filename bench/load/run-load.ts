import { HttpClient } from './http-client.ts';
import type { NextRequest } from './requests.ts';

export interface LoadOptions {
  readonly port: number;
  readonly connections: number;
  /** Ends after this many seconds, or after this many requests, whichever comes first. */
  readonly seconds: number;
  readonly requests: number;
  /** 429 and 503 are counted, and do not end the load. */
  readonly refusals?: boolean;
}

export interface LoadResult {
  /** Those that were answered by 200. */
  readonly requests: number;
  readonly refused: number;
  readonly seconds: number;
  readonly perSecond: number;
  /** Milliseconds from sending to the whole answer. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Bodies of the answers, the first few, for a check that they are what they should be. */
  readonly samples: readonly string[];
}

const SAMPLES = 2;

/** Sends requests over a number of connections, one at a time on each. Any other status than 200 throws, unless it is a refusal that is expected. */
export async function runLoad(
  options: LoadOptions,
  requestsOf: () => NextRequest,
): Promise<LoadResult> {
  const clients = await Promise.all(
    Array.from({ length: options.connections }, () => HttpClient.connect(options.port)),
  );
  const latencies: number[] = [];
  const samples: string[] = [];
  const begun = performance.now();
  const end = begun + options.seconds * 1000;
  let sent = 0;
  let refused = 0;
  await Promise.all(
    clients.map(async (client) => {
      const next = requestsOf();
      while (performance.now() < end && sent < options.requests) {
        sent += 1;
        const start = performance.now();
        const { status, body } = await client.send(next());
        if (options.refusals === true && (status === 429 || status === 503)) {
          refused += 1;
          continue;
        }
        latencies.push(performance.now() - start);
        if (status !== 200) throw new Error(`status ${status}: ${body.toString()}`);
        if (samples.length < SAMPLES) samples.push(body.toString());
      }
      client.close();
    }),
  );
  const seconds = (performance.now() - begun) / 1000;
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  return {
    requests: latencies.length,
    refused,
    seconds,
    perSecond: latencies.length / seconds,
    p50: at(0.5),
    p99: at(0.99),
    max: sorted.at(-1) ?? 0,
    samples,
  };
}
