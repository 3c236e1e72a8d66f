import { setTimeout as sleep } from 'node:timers/promises';
import { HttpClient } from './http-client.ts';
import { ingestRequests } from './requests.ts';

export interface PacedOptions {
  readonly port: number;
  readonly authorization: string;
  readonly seconds: number;
  readonly perSecond: number;
}

export interface PacedResult {
  /** Time from the scheduled start of a request to its complete response, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly refused: number;
}

const CONNECTIONS = 8;

/**
 * Sends single events at a steady rate, independently of response times. If no connection is free at the scheduled start of a request,
 * the request waits.
 */
export async function runPaced(options: PacedOptions): Promise<PacedResult> {
  const { port, authorization, seconds, perSecond } = options;
  const latencies: number[] = [];
  let refused = 0;
  const startedAt = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const client = await HttpClient.connect(port);
      const request = ingestRequests({ path: '/events', authorization }, 1, 500);
      for (;;) {
        const due = startedAt + (next * 1000) / perSecond;
        if (due >= startedAt + seconds * 1000) break;
        next += 1;
        await sleep(Math.max(0, due - performance.now()));
        const { status } = await client.send(request());
        latencies.push(performance.now() - due);
        if (status !== 200) refused += 1;
      }
      client.close();
    }),
  );
  latencies.sort((a, b) => a - b);
  const at = (part: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * part))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), max: latencies.at(-1) ?? Number.NaN, refused };
}
