import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { atMost } from '../../lib/caching/index.ts';
import { AnswerFailure, type AnswerFailureCode, type AnswerPart } from '../answerer.ts';

/** Time for which the fallback answers first after a model was down. Otherwise each question would wait for the failure. */
const DOWN_MS = 30_000;
/** Maximum number of models whose failures are remembered. */
const MAX_REMEMBERED = 1000;

/** Failures after which the same request to the same model may succeed. */
const TEMPORARY: ReadonlySet<AnswerFailureCode> = new Set(['unreachable', 'overloaded', 'failed']);
/** Failures after which the next question probably fails too. One question can cause the others, also on purpose. */
const OF_ALL_QUESTIONS: ReadonlySet<AnswerFailureCode> = new Set([...TEMPORARY, 'stalled']);
/** Failures that may be specific to one model. */
const OF_ONE_MODEL: ReadonlySet<AnswerFailureCode> = new Set([
  ...TEMPORARY,
  'stalled',
  'refused',
  'broken',
  'garbage',
]);

/** @param model the model that failed. */
export type OnFailover = (model: string, failure: AnswerFailure) => void;

type Ask = (model: string) => AsyncGenerator<AnswerPart>;

export interface FailoverOptions {
  /** The model that answers if another model cannot, or null. */
  readonly fallback: string | null;
  /** Pause before a retry, in milliseconds. A random time of up to half the pause is added. */
  readonly retryMs: number;
  /** Called when another model takes over. */
  readonly onFailover: OnFailover;
}

/**
 * Asks a model. Retries once after a temporary failure before the first text, then asks the fallback. After the first
 * text, a failure ends the answer, because a second answer would contradict the text that the person has read.
 */
export class Failover {
  readonly #fallback: string | null;
  readonly #retryMs: number;
  readonly #onFailover: OnFailover;
  readonly #down = new LRUCache<string, true>({ ...atMost(MAX_REMEMBERED), ttl: DOWN_MS });

  constructor({ fallback, retryMs, onFailover }: FailoverOptions) {
    this.#fallback = fallback;
    this.#retryMs = retryMs;
    this.#onFailover = onFailover;
  }

  /**
   * @param ask asks one model, once.
   * @throws {AnswerFailure} the failure of the last model that was asked.
   */
  async *answer(model: string, ask: Ask, signal: AbortSignal): AsyncGenerator<AnswerPart> {
    const [first, second] = this.#order(model);
    for (const candidate of second === undefined ? [first] : [first, second]) {
      let hasStarted = false;
      try {
        yield { kind: 'model', name: candidate };
        for await (const part of this.#withRetry(() => ask(candidate), signal)) {
          hasStarted ||= isShown(part);
          yield part;
        }
        this.#down.delete(candidate);
        return;
      } catch (error) {
        if (!isOf(OF_ONE_MODEL, error)) throw error;
        if (isOf(OF_ALL_QUESTIONS, error)) this.#down.set(candidate, true);
        if (hasStarted || candidate === second || second === undefined) throw error;
        this.#onFailover(candidate, error);
      }
    }
  }

  /** Returns the models in the order in which they are asked. */
  #order(model: string): readonly [string, string?] {
    const fallback = this.#fallback;
    if (fallback === null || fallback === model) return [model];
    const isDown = this.#down.has(model) && !this.#down.has(fallback);
    return isDown ? [fallback, model] : [model, fallback];
  }

  async *#withRetry(ask: () => AsyncGenerator<AnswerPart>, signal: AbortSignal) {
    let hasStarted = false;
    try {
      for await (const part of ask()) {
        hasStarted ||= isShown(part);
        yield part;
      }
      return;
    } catch (error) {
      if (hasStarted || !isOf(TEMPORARY, error)) throw error;
    }
    const pause = this.#retryMs * (1 + Math.random() / 2);
    await sleep(pause, undefined, { signal }).catch(() => signal.throwIfAborted());
    yield* ask();
  }
}

/** Reports whether the person sees a part. A tool call may also have effects, so another model must not repeat it. */
function isShown({ kind }: AnswerPart): boolean {
  return kind === 'text' || kind === 'source' || kind === 'tool-call';
}

function isOf(codes: ReadonlySet<AnswerFailureCode>, error: unknown): error is AnswerFailure {
  return error instanceof AnswerFailure && codes.has(error.code);
}
