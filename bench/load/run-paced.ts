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
  /** Milliseconds from the moment a request was due to its whole answer. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Requests that were answered by anything but 200. */
  readonly refused: number;
}

const CONNECTIONS = 8;

/** Sends single events at a steady rate, whatever the answers take; each waits for a free connection. */
export async function runPaced(options: PacedOptions): Promise<PacedResult> {
  const { port, authorization, seconds, perSecond } = options;
  const latencies: number[] = [];
  let refused = 0;
  const begun = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const client = await HttpClient.connect(port);
      const request = ingestRequests({ path: '/events', authorization }, 1, 500);
      for (;;) {
        const due = begun + (next * 1000) / perSecond;
        if (due >= begun + seconds * 1000) break;
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
