import { GatehouseError } from '../errors.ts';
import type { CloudEvent } from '../events/events.ts';
import { fromBase64, importSecret, unixSeconds } from './hmac.ts';

/** Reason why a delivery was rejected. */
export type WebhookProblem =
  | 'headers-missing'
  | 'timestamp-invalid'
  | 'timestamp-too-old'
  | 'timestamp-too-new'
  | 'signature-invalid'
  | 'body-invalid';

/** A request that is not a delivery of Gatehouse, or is too old. Answer it with status 400. */
export class WebhookError extends GatehouseError {
  override readonly name = 'WebhookError';
  readonly problem: WebhookProblem;

  constructor(problem: WebhookProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

/** Headers of a request: `Headers`, or the `headers` of a request in Node. */
export type WebhookRequestHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface UnwrapOptions {
  /** Maximum difference between the clocks in seconds. Default 300. */
  readonly toleranceSeconds?: number | undefined;
}

const TOLERANCE_SECONDS = 300;

/**
 * Verifies a delivery (Standard Webhooks) and returns its event. Each event can arrive more than once, so deduplicate by
 * `source` and `id`.
 *
 * @param body the body exactly as it was received.
 * @param secret secret of the subscription. During a rotation, a list of both secrets.
 * @throws {WebhookError} if the request is not signed with a secret, or its timestamp differs too much.
 * @example
 * const received = await nextDelivery();
 * const event = await webhooks.unwrap(received.body, received.headers, secret);
 * console.log(event.type, event.data);
 */
async function unwrap(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookRequestHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS }: UnwrapOptions = {},
): Promise<CloudEvent> {
  if (typeof body !== 'string' && !(body instanceof ArrayBuffer) && !ArrayBuffer.isView(body))
    throw new TypeError('body must be the text or the bytes of the request, not a parsed object');
  // With NaN, every age would be within the tolerance.
  if (!(toleranceSeconds >= 0)) throw new TypeError('toleranceSeconds must be at least 0');
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
    (name) => headerOf(headers, name),
  );
  if (!id || !timestamp || !signatures)
    throw new WebhookError('headers-missing', 'The request lacks a header of Standard Webhooks.');
  checkTime(timestamp, toleranceSeconds);
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body);
  const prefix = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(prefix.length + bytes.length);
  signed.set(prefix);
  signed.set(bytes, prefix.length);
  if (!(await isSigned(signed, signatures, [secret].flat())))
    throw new WebhookError('signature-invalid', 'No signature of the request matches a secret.');
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new WebhookError('body-invalid', 'The body of the request is not JSON.');
  }
}

/** Receives deliveries of subscriptions. */
export const webhooks = { unwrap } as const;

function headerOf(headers: WebhookRequestHeaders, name: string): string | null | undefined {
  if (typeof headers.get === 'function') return headers.get(name);
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return Array.isArray(found) ? found.join(' ') : (found as string | undefined);
}

function checkTime(timestamp: string, tolerance: number): void {
  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookError('timestamp-invalid', 'webhook-timestamp must be Unix seconds.');
  const behind = unixSeconds() - Number(timestamp);
  if (behind > tolerance)
    throw new WebhookError('timestamp-too-old', 'webhook-timestamp is too far in the past.');
  if (behind < -tolerance)
    throw new WebhookError('timestamp-too-new', 'webhook-timestamp is too far in the future.');
}

/** Reports whether one of the signatures was made with one of the secrets. `verify` compares in constant time. */
async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  signatures: string,
  secrets: readonly string[],
): Promise<boolean> {
  const given = signatures
    .split(' ')
    .flatMap((one) => (one.startsWith('v1,') ? (fromBase64(one.slice(3)) ?? []) : []));
  const keys = await Promise.all(secrets.map(importSecret));
  const checks = keys.flatMap((key) =>
    given.map((signature) => crypto.subtle.verify('HMAC', key, signature, signed)),
  );
  return (await Promise.all(checks)).includes(true);
}
