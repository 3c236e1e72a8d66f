import { HttpClient } from './http-client.ts';
import type { NextRequest } from './requests.ts';

export interface LoadOptions {
  readonly port: number;
  readonly connections: number;
  /** Limits of the load. It ends when the first limit is reached. */
  readonly seconds: number;
  readonly requests: number;
  /** Status of a successful response. Default 200. */
  readonly status?: number;
  /** Counts responses with status 429 and 503 instead of failing. */
  readonly refusals?: boolean;
}

export interface LoadResult {
  /** Number of successful responses. */
  readonly requests: number;
  readonly refused: number;
  readonly seconds: number;
  readonly perSecond: number;
  /** Time from sending a request to its complete response, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly samples: readonly string[];
}

const SAMPLES = 2;

/**
 * Sends requests over several connections. Each connection sends one request at a time. Throws if a request is not successful, except
 * for the statuses that `refusals` permits.
 */
export async function runLoad(
  options: LoadOptions,
  requestsOf: () => NextRequest,
): Promise<LoadResult> {
  const clients = await Promise.all(
    Array.from({ length: options.connections }, () => HttpClient.connect(options.port)),
  );
  const latencies: number[] = [];
  const samples: string[] = [];
  const startedAt = performance.now();
  const end = startedAt + options.seconds * 1000;
  let sent = 0;
  let refused = 0;
  const success = options.status ?? 200;
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
        if (status !== success) throw new Error(`status ${status}: ${body.toString()}`);
        if (samples.length < SAMPLES) samples.push(body.toString());
      }
      client.close();
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
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
