import { seeded } from '../../../packages/server/tests/support/seeded.ts';
import { Coverage } from './coverage.ts';
import { mutated } from './mutate.ts';
import type { Target } from './target.ts';

/** Number of inputs between two looks at the coverage. It doubles while nothing new is found. */
const BATCH = 256;
const LARGEST_BATCH = 16_384;
/** After this number of largest batches without new coverage, it is no longer measured, because parsers are several times as fast then. */
const MAX_BATCHES_WITHOUT_COVERAGE = 4;
const MAX_FINDINGS = 5;
const TOO_SLOW_MS = 2000;
/** Number of times at which the memory is measured. */
const MEASUREMENTS = 4;

export interface Finding {
  /** One character per byte (latin1). */
  readonly input: string;
  readonly problem: string;
}

export interface Report {
  /** Number of parsed inputs. A campaign ends early after several findings. */
  readonly inputs: number;
  readonly findings: readonly Finding[];
  /** Number of inputs that executed new source text, and the seeds. */
  readonly corpus: number;
  /** Number of executed characters of the source text. */
  readonly executed: number;
  readonly seconds: number;
  /** Resident memory in MiB after each quarter of the inputs. */
  readonly memory: readonly number[];
}

/**
 * Parses random inputs. An input that executes source text which no earlier input has executed joins the corpus, whose entries are
 * changed to make further inputs. The same seed makes the same inputs, unless the target is not deterministic.
 *
 * V8 counts only in functions that it compiles after the start of the campaign, so call this function once per process, and without
 * a compile cache; `runTarget` does so.
 *
 * @param tooSlowMs CPU time after which an input is a finding.
 */
export async function fuzz(
  target: Target,
  inputs: number,
  seed: number,
  tooSlowMs = TOO_SLOW_MS,
): Promise<Report> {
  const random = seeded(seed);
  const corpus: Buffer[] = target.seeds.map((text) => Buffer.from(text));
  const found: Findings = { findings: [], tooSlowMs };
  const { findings } = found;
  const memory: number[] = [];
  const began = performance.now();
  let coverage: Coverage | null = new Coverage(target.sources);
  let executed = 0;
  let done = 0;
  try {
    await runAll(target, corpus, found);
    coverage.add(coverage.takeNew());
    let size = BATCH;
    let patience = MAX_BATCHES_WITHOUT_COVERAGE;
    while (done < inputs && findings.length < MAX_FINDINGS) {
      const batch = Array.from({ length: Math.min(size, inputs - done) }, () =>
        mutated(random, corpus, target.words),
      );
      await runAll(target, batch, found);
      done += batch.length;
      while (memory.length < Math.floor((done * MEASUREMENTS) / inputs))
        memory.push(Math.round(process.memoryUsage.rss() / 2 ** 20));
      if (coverage === null) continue;
      const covered = coverage.takeNew();
      if (covered.count > 0) corpus.push(...(await newInputs(target, batch, coverage)));
      coverage.add(covered);
      executed = coverage.size;
      patience =
        size < LARGEST_BATCH || covered.count > 0 ? MAX_BATCHES_WITHOUT_COVERAGE : patience - 1;
      size = covered.count > 0 ? BATCH : Math.min(2 * size, LARGEST_BATCH);
      if (patience > 0) continue;
      coverage.close();
      coverage = null;
    }
    const seconds = (performance.now() - began) / 1000;
    return { inputs: done, findings, corpus: corpus.length, executed, seconds, memory };
  } finally {
    coverage?.close();
    target.close?.();
  }
}

/** Finds the inputs of a batch that execute new source text, by repeating halves of the batch. Marks the text as executed. */
async function newInputs(
  target: Target,
  batch: readonly Buffer[],
  coverage: Coverage,
): Promise<Buffer[]> {
  await runAll(target, batch, { findings: [], tooSlowMs: Number.POSITIVE_INFINITY });
  const covered = coverage.takeNew();
  if (covered.count === 0) return [];
  if (batch.length === 1) {
    coverage.add(covered);
    return [...batch];
  }
  const half = batch.length >> 1;
  return [
    ...(await newInputs(target, batch.slice(0, half), coverage)),
    ...(await newInputs(target, batch.slice(half), coverage)),
  ];
}

interface Findings {
  readonly findings: Finding[];
  readonly tooSlowMs: number;
}

async function runAll(
  { check }: Target,
  inputs: readonly Buffer[],
  { findings, tooSlowMs }: Findings,
): Promise<void> {
  const add = (input: Buffer, problem: string) =>
    findings.push({ input: input.toString('latin1'), problem });
  for (const input of inputs) {
    const before = process.threadCpuUsage();
    try {
      const running = check(input);
      if (running !== undefined) await running;
      const { user, system } = process.threadCpuUsage(before);
      const ms = (user + system) / 1000;
      if (ms > tooSlowMs) add(input, `takes ${Math.round(ms)} ms of CPU time`);
    } catch (error) {
      add(input, String((error as Error).stack ?? error));
    }
  }
}
