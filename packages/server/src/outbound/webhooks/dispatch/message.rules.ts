import type { KeyObject } from 'node:crypto';
import { sign } from '../../../ingest/sources/index.ts';
import type { WebhookMessage } from '../sending/webhook-sender.ts';

/** A secret that signs until a time, Unix milliseconds; null: for good. */
export interface SigningKey {
  readonly key: KeyObject;
  readonly endsAt: number | null;
}

/**
 * An event as it is sent: a CloudEvent in structured mode, signed by Standard Webhooks with every secret that
 * is live. The time of the signature is that of the attempt; the id is the same for all attempts.
 *
 * @param event its JSON text.
 * @param now Unix milliseconds.
 */
export function messageOf(
  id: string,
  event: string,
  keys: readonly SigningKey[],
  now: number,
): WebhookMessage {
  const timestamp = Math.floor(now / 1000);
  const body = Buffer.from(event);
  const signed = [`${id}.${timestamp}.`, body];
  const live = keys.filter(({ endsAt }) => endsAt === null || endsAt > now);
  return {
    body,
    headers: {
      'content-type': 'application/cloudevents+json',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': live.map(({ key }) => sign(signed, key)).join(' '),
    },
  };
}
