import { type Profiler, Session } from 'node:inspector';

/** The characters of the source files that have been executed, as V8 counts them. */
export class Coverage {
  readonly #session = new Session();
  readonly #sources: readonly string[];
  readonly #executed = new Map<string, Uint8Array>();

  /** @param sources parts of the URLs of the source files. */
  constructor(sources: readonly string[]) {
    this.#sources = sources;
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** Characters that were executed since the last call, and never before. */
  takeNew(): CoveredText {
    const found = new Map<string, Uint8Array>();
    let count = 0;
    for (const { url, functions } of this.#take()) {
      const executed = executedIn(functions);
      const before = this.#executed.get(url);
      for (const [at, isExecuted] of executed.entries())
        if (isExecuted === 1 && before?.[at] !== 1) count += 1;
      found.set(url, executed);
    }
    return { count, found };
  }

  /** Marks characters as executed. */
  add({ found }: CoveredText): void {
    for (const [url, executed] of found) {
      const known = this.#executed.get(url) ?? new Uint8Array(0);
      const all = new Uint8Array(Math.max(known.length, executed.length));
      all.set(known);
      for (const [at, isExecuted] of executed.entries()) if (isExecuted === 1) all[at] = 1;
      this.#executed.set(url, all);
    }
  }

  /** Number of executed characters. */
  get size(): number {
    let size = 0;
    for (const executed of this.#executed.values())
      size += executed.reduce((sum, isExecuted) => sum + isExecuted, 0);
    return size;
  }

  close(): void {
    this.#session.post('Profiler.stopPreciseCoverage');
    this.#session.disconnect();
  }

  /** Calls of a session of the own process are synchronous. */
  #take(): Profiler.ScriptCoverage[] {
    let scripts: Profiler.ScriptCoverage[] = [];
    this.#session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error !== null) throw error;
      scripts = result;
    });
    return scripts.filter(({ url }) => this.#sources.some((part) => url.includes(part)));
  }
}

export interface CoveredText {
  /** Number of characters. */
  readonly count: number;
  /** By URL: 1 for each executed character, whether or not it was executed before. */
  readonly found: ReadonlyMap<string, Uint8Array>;
}

/** Ranges are nested: the count of an inner range replaces the count of the outer one. */
function executedIn(functions: readonly Profiler.FunctionCoverage[]): Uint8Array {
  const ranges = functions.flatMap((one) => one.ranges);
  const executed = new Uint8Array(Math.max(0, ...ranges.map(({ endOffset }) => endOffset)));
  for (const { startOffset, endOffset, count } of ranges)
    executed.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  return executed;
}
