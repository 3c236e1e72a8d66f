import { setTimeout as sleep } from 'node:timers/promises';

/** How long what was done took, milliseconds, since it was last asked. */
export class Latencies {
  readonly #times = new Map<string, number[]>();

  add(kind: string, ms: number): void {
    const times = this.#times.get(kind);
    if (times === undefined) this.#times.set(kind, [ms]);
    else times.push(ms);
  }

  /** The middle and the 99th percentile of each kind; forgets them. */
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

/**
 * Does something so many times a second until it is aborted, each at its own time whatever the one before took,
 * so that waiting counts as waiting.
 */
export async function steadily(
  perSecond: number,
  signal: AbortSignal,
  act: () => Promise<void>,
): Promise<void> {
  const begun = performance.now();
  const open = new Set<Promise<void>>();
  for (let turn = 0; !signal.aborted; turn += 1) {
    const one: Promise<void> = act().finally(() => open.delete(one));
    open.add(one);
    const wait = begun + ((turn + 1) * 1000) / perSecond - performance.now();
    if (wait > 0) await sleep(wait, null, { signal }).catch(() => {});
  }
  await Promise.all(open);
}
