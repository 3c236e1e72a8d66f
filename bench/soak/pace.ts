import { setTimeout as sleep } from 'node:timers/promises';

/** Collects the durations of operations since the last call of `take`, in milliseconds. */
export class Latencies {
  readonly #times = new Map<string, number[]>();

  add(kind: string, ms: number): void {
    this.#times.getOrInsert(kind, []).push(ms);
  }

  take(): Record<string, { readonly count: number; readonly p50: number; readonly p99: number }> {
    const taken = [...this.#times].map(([kind, times]) => {
      const sorted = times.toSorted((a, b) => a - b);
      const at = (share: number) =>
        Math.round((sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN) * 10) / 10;
      return [kind, { count: times.length, p50: at(0.5), p99: at(0.99) }] as const;
    });
    this.#times.clear();
    return Object.fromEntries(taken);
  }
}

/** Calls `act` at a steady rate until aborted. Does not wait for earlier calls, so that queueing time counts as latency. */
export async function steadily(
  perSecond: number,
  signal: AbortSignal,
  act: () => Promise<unknown>,
): Promise<void> {
  const startedAt = performance.now();
  const pending = new Set<Promise<unknown>>();
  for (let turn = 0; !signal.aborted; turn += 1) {
    const call: Promise<unknown> = act().finally(() => pending.delete(call));
    pending.add(call);
    const wait = startedAt + ((turn + 1) * 1000) / perSecond - performance.now();
    if (wait > 0) await sleep(wait, null, { signal }).catch(() => {});
  }
  await Promise.all(pending);
}

/** Calls `act` repeatedly until aborted, with a pause after each call. */
export async function oneByOne(
  pauseMs: number,
  signal: AbortSignal,
  act: () => Promise<unknown>,
): Promise<void> {
  while (!signal.aborted) {
    await act();
    await sleep(pauseMs, null, { signal }).catch(() => {});
  }
}
