import type { KeyObject } from 'node:crypto';
import { sign } from '../../../ingest/sources/index.ts';
import type { TraceHeaders } from '../../../platform/traces/index.ts';
import type { WebhookMessage } from '../sending/webhook-sender.ts';

export interface SigningKey {
  readonly key: KeyObject;
  /** Unix milliseconds. `null`: the key does not expire. */
  readonly endsAt: number | null;
}

/**
 * Creates the request for an event: a CloudEvent in structured mode, signed according to Standard Webhooks with every
 * valid key.
 *
 * @param id the same ID for all attempts of a delivery.
 * @param event the JSON text of the event.
 * @param now time of the attempt in Unix milliseconds.
 * @param trace headers of W3C Trace Context.
 */
export function messageOf(
  id: string,
  event: string,
  keys: readonly SigningKey[],
  now: number,
  trace: TraceHeaders = {},
): WebhookMessage {
  const timestamp = Math.floor(now / 1000);
  const body = Buffer.from(event);
  const signed = [`${id}.${timestamp}.`, body];
  const live = keys.filter(({ endsAt }) => endsAt === null || endsAt > now);
  return {
    body,
    headers: {
      ...trace,
      'content-type': 'application/cloudevents+json',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': live.map(({ key }) => sign(signed, key)).join(' '),
    },
  };
}
