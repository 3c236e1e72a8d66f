import type { Dispatcher } from 'undici';
import type { SendLimits } from './limits.ts';
import { problemOf } from './problem.ts';
import type { WebhookOutcome } from './webhook-sender.ts';

/** One request and its answer. undici tells of each step by calling a method. */
export class Attempt implements Dispatcher.DispatchHandler {
  readonly #limits: SendLimits;
  readonly #ended: (outcome: WebhookOutcome, error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #answer: WebhookOutcome | null = null;
  #bytes = 0;
  #over = false;

  /** @param ended is called once; with the error, where there was no answer. */
  constructor(limits: SendLimits, ended: (outcome: WebhookOutcome, error: unknown) => void) {
    this.#limits = limits;
    this.#ended = ended;
    this.#timer = setTimeout(() => this.#giveUp(), limits.attemptMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#over) controller.abort(new Error('it is too late'));
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    const retryAfter = headers['retry-after'];
    this.#answer = {
      answered: true,
      status,
      retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
    };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#limits.answerBytes) controller.abort(new Error('that is enough'));
  }

  onResponseEnd(): void {
    this.#end(null);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#end(error);
  }

  /** The status says all there is to know, even when the rest of the answer does not come. */
  #end(error: unknown): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    if (this.#answer !== null) this.#ended(this.#answer, null);
    else this.#ended({ answered: false, problem: problemOf(error) }, error);
  }

  #giveUp(): void {
    const { attemptMs } = this.#limits;
    const problem = `no answer within ${attemptMs / 1000} seconds`;
    if (this.#over) return;
    this.#over = true;
    this.#ended(this.#answer ?? { answered: false, problem }, null);
    this.#controller?.abort(new Error(problem));
  }
}
