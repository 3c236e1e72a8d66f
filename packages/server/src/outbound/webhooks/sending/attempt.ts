import type { Dispatcher } from 'undici';
import { AddressRefused, CERTIFICATE_PROBLEMS, errorChain } from '../../../lib/network/index.ts';
import { KEPT_BYTES, type WebhookOutcome } from './webhook-sender.ts';

export interface SendLimits {
  /** Timeout from the start of an attempt to the end of the response. Default 15,000. */
  readonly attemptMs: number;
  /** Default 10,000. */
  readonly connectMs: number;
  /** Time after which a host without a public address is reported. Default 3,000. */
  readonly refusalMs: number;
  readonly connections: number;
  /** Maximum age of a connection, after which DNS changes take effect. Default 600,000. */
  readonly connectionMs: number;
  /** Maximum number of bytes of a response body that are kept. Default 2,048. */
  readonly keptBytes: number;
  /** Maximum size of a response body. The connection is closed if the body is larger. Default 65,536. */
  readonly responseBytes: number;
}

export const LIMITS: SendLimits = {
  attemptMs: 15_000,
  connectMs: 10_000,
  refusalMs: 3000,
  connections: 64,
  connectionMs: 600_000,
  keptBytes: KEPT_BYTES,
  responseBytes: 64 * 1024,
};

/**
 * One HTTP request, as a handler for undici.
 *
 * - pending: waits for the response. Response headers → answered. An error or the timeout → ended
 * - answered: the outcome is known. Reads the body so that the connection can be reused. End, error or timeout → ended
 * - ended: `onEnd` was called.
 */
export class Attempt implements Dispatcher.DispatchHandler {
  readonly #limits: SendLimits;
  readonly #onEnd: (outcome: WebhookOutcome, error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #response: WebhookOutcome | null = null;
  #bytes = 0;
  readonly #start: Buffer[] = [];
  #hasEnded = false;

  /** @param onEnd called exactly once. `error` is `null` if there was a response or a timeout. */
  constructor(limits: SendLimits, onEnd: (outcome: WebhookOutcome, error: unknown) => void) {
    this.#limits = limits;
    this.#onEnd = onEnd;
    this.#timer = setTimeout(() => this.#onTimeout(), limits.attemptMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#hasEnded) controller.abort(new Error('the attempt has timed out'));
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    const retryAfter = headers['retry-after'];
    this.#response = {
      answered: true,
      status,
      retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
    };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // A copy, because the chunk may be part of a larger buffer.
    const { keptBytes } = this.#limits;
    if (this.#bytes < keptBytes)
      this.#start.push(Buffer.from(chunk.subarray(0, keptBytes - this.#bytes)));
    this.#bytes += chunk.length;
    if (this.#bytes > this.#limits.responseBytes)
      controller.abort(new Error('the response is too large'));
  }

  onResponseEnd(): void {
    this.#end(null);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#end(error);
  }

  /** Ends the attempt if undici throws before it calls the handler. */
  onDispatchError(error: unknown): void {
    this.#end(error);
  }

  /** The status of a response counts even if reading its body fails. */
  #end(error: unknown): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    if (this.#response !== null) this.#onEnd(this.#answer(this.#response, error !== null), null);
    else this.#onEnd({ answered: false, problem: describeFailure(error) }, error);
  }

  #onTimeout(): void {
    const { attemptMs } = this.#limits;
    const problem = `no response within ${attemptMs / 1000} seconds`;
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.#response !== null) this.#onEnd(this.#answer(this.#response, true), null);
    else this.#onEnd({ answered: false, problem }, null);
    this.#controller?.abort(new Error(problem));
  }

  #answer(response: WebhookOutcome, isIncomplete: boolean): WebhookOutcome {
    if (!response.answered || this.#bytes === 0) return response;
    const isCut = isIncomplete || this.#bytes > this.#limits.keptBytes;
    return { ...response, body: { bytes: Buffer.concat(this.#start), isCut } };
  }
}

/** Descriptions of failures by error code. The operating system, the resolver, OpenSSL and undici define the codes. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before a response arrived',
  EPIPE: 'the connection was closed before a response arrived',
  UND_ERR_SOCKET: 'the connection was closed before a response arrived',
  EHOSTUNREACH: 'the host is unreachable',
  ENETUNREACH: 'the network is unreachable',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_HEADERS_OVERFLOW: 'the response headers are too large',
  ...CERTIFICATE_PROBLEMS,
};

/** Describes a failed request without using error messages, which contain resolved addresses. */
function describeFailure(error: unknown): string {
  for (const one of errorChain(error)) {
    if (one instanceof AddressRefused) return one.message;
    const description = DESCRIPTIONS[String((one as { code?: unknown }).code)];
    if (description !== undefined) return description;
  }
  if (error instanceof Error && error.name === 'HTTPParserError')
    return 'the response is not valid HTTP';
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code === 'string' && /^ERR_(SSL|TLS)_/.test(code)) return 'the TLS handshake failed';
  return 'the request failed';
}
