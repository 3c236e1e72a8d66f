import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamedEvent } from '@gatehouse/client';
import { deliveryIdOf, signedHeaders } from './signature.ts';

export interface DeliverOptions {
  /** URL of the receiver. */
  readonly forward: string;
  readonly secret: Buffer;
  /** Maximum number of attempts per event. */
  readonly attempts: number;
  /** Timeout of an attempt in milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal;
  /** Called before each retry. */
  readonly onRetry: (failure: string, delayMs: number) => void;
}

/** Result of delivering one event. */
export interface Outcome {
  readonly webhookId: string;
  readonly delivered: boolean;
  readonly attempts: number;
  /** Status of the last response. `null`: no response. */
  readonly status: number | null;
  /** Reason for the failure of the last attempt. `null`: the event was delivered. */
  readonly failure: string | null;
  /** Duration of the last attempt in milliseconds. */
  readonly durationMs: number;
}

const FIRST_DELAY_MS = 1000;

/** Sends an event, signed with Standard Webhooks, until the receiver returns a 2xx status or the attempts are used up. */
export async function deliver(
  { event, text }: Pick<StreamedEvent, 'event' | 'text'>,
  options: DeliverOptions,
): Promise<Outcome> {
  const webhookId = deliveryIdOf(event);
  for (let attempt = 1; ; attempt++) {
    const startedAt = performance.now();
    const { status, failure } = await send(webhookId, text, options);
    const durationMs = Math.round(performance.now() - startedAt);
    if (failure === null || attempt === options.attempts)
      return {
        webhookId,
        delivered: failure === null,
        attempts: attempt,
        status,
        failure,
        durationMs,
      };
    const delay = FIRST_DELAY_MS * 2 ** (attempt - 1);
    options.onRetry(failure, delay);
    await sleep(delay, undefined, { signal: options.signal });
  }
}

async function send(
  id: string,
  body: string,
  { forward, secret, timeout, signal }: DeliverOptions,
): Promise<Pick<Outcome, 'status' | 'failure'>> {
  try {
    const response = await fetch(forward, {
      method: 'POST',
      headers: {
        'content-type': 'application/cloudevents+json',
        ...signedHeaders(id, body, secret),
      },
      body,
      // The service does not follow redirects either.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
    });
    await response.body?.cancel();
    const { ok, status } = response;
    return { status, failure: ok ? null : `the receiver answered ${status}` };
  } catch (error) {
    signal.throwIfAborted();
    return { status: null, failure: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'the receiver did not respond in time';
  const { cause } = error;
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause;
  return inner instanceof Error ? inner.message : error.message;
}
