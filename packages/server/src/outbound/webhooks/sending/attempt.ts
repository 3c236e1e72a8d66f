import type { Dispatcher } from 'undici';
import { AddressRefused } from './guarded-connect.ts';
import type { WebhookOutcome } from './webhook-sender.ts';

export interface SendLimits {
  /** Timeout of an attempt from its start to the end of the response. */
  readonly attemptMs: number;
  readonly connectMs: number;
  /** Maximum connections to one target. */
  readonly connections: number;
  /** Maximum age of a connection, so that DNS changes take effect. */
  readonly connectionMs: number;
  /** Maximum bytes read of a response body; the connection of a longer one is closed. */
  readonly answerBytes: number;
}

export const LIMITS: SendLimits = {
  attemptMs: 15_000,
  connectMs: 10_000,
  connections: 64,
  connectionMs: 600_000,
  answerBytes: 64 * 1024,
};

/**
 * One request, as the handler that undici calls at each step.
 *
 * - pending: no response yet. Its headers → answered. An error or the timeout → ended without a response
 * - answered: the outcome is known; the body is read so that the connection can be reused.
 * - ended: the callback was called.
 */
export class Attempt implements Dispatcher.DispatchHandler {
  readonly #limits: SendLimits;
  readonly #onEnd: (outcome: WebhookOutcome, error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #answer: WebhookOutcome | null = null;
  #bytes = 0;
  #hasEnded = false;

  /** @param onEnd called once; with the error if there was no response. */
  constructor(limits: SendLimits, onEnd: (outcome: WebhookOutcome, error: unknown) => void) {
    this.#limits = limits;
    this.#onEnd = onEnd;
    this.#timer = setTimeout(() => this.#onTimeout(), limits.attemptMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#hasEnded) controller.abort(new Error('it is too late'));
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

  /** A response counts by its status even if its body fails. */
  #end(error: unknown): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    if (this.#answer !== null) this.#onEnd(this.#answer, null);
    else this.#onEnd({ answered: false, problem: describeFailure(error) }, error);
  }

  #onTimeout(): void {
    const { attemptMs } = this.#limits;
    const problem = `no answer within ${attemptMs / 1000} seconds`;
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#onEnd(this.#answer ?? { answered: false, problem }, null);
    this.#controller?.abort(new Error(problem));
  }
}

/** Descriptions by error code of the system, the resolver, OpenSSL and undici. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before an answer came',
  EPIPE: 'the connection was closed before an answer came',
  UND_ERR_SOCKET: 'the connection was closed before an answer came',
  ENOTFOUND: 'its host name has no address',
  EAI_AGAIN: 'its host name could not be looked up',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its network cannot be reached',
  ETIMEDOUT: 'it could not be connected to in time',
  UND_ERR_CONNECT_TIMEOUT: 'it could not be connected to in time',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of its answer are too large',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by nobody known',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is signed by nobody known',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is signed by nobody known',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
};

/** Describes a failed request without the messages of errors, which contain resolved addresses. */
function describeFailure(error: unknown): string {
  for (const one of causes(error)) {
    if (one instanceof AddressRefused) return one.message;
    const description = DESCRIPTIONS[String((one as { code?: unknown }).code)];
    if (description !== undefined) return description;
  }
  if (error instanceof Error && error.name === 'HTTPParserError')
    return 'it answered something that is no HTTP';
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code === 'string' && /^ERR_(SSL|TLS)_/.test(code)) return 'TLS with it failed';
  return 'the request failed';
}

/** Yields an error and its causes; if several addresses failed, they are in an `AggregateError`. */
function* causes(error: unknown): Generator<object> {
  if (typeof error !== 'object' || error === null) return;
  yield error;
  if (error instanceof AggregateError) for (const one of error.errors) yield* causes(one);
  if (error instanceof Error) yield* causes(error.cause);
}
