import { type CloudEvent, type NewEvent, toEvent } from '../events/events.ts';
import { randomKey } from '../http/random-key.ts';
import { canonicalJson } from './canonical-json.ts';
import { importSecret, signText, unixSeconds } from './hmac.ts';

/** Returns, per request, a function that signs each attempt with the same `webhook-id` and the current time. */
export type EventSigner = () => (body: string) => Promise<Record<string, string>>;

/** An event with its own signature. */
export interface SignedEvent extends CloudEvent {
  readonly auth: { readonly signature: string; readonly timestamp: string };
}

/**
 * Creates a signer for whole requests of one event source (Standard Webhooks). With several secrets, each request has one
 * signature per secret, as a rotation requires.
 *
 * @example
 * const { secret } = await gatehouse.eventSources.rotateSecret(sourceId);
 * await new Gatehouse({ url }).events.send(
 *   [{ source: 'https://shop.example/orders', type: 'example.order.paid' }],
 *   { signer: eventSigner(secret) },
 * );
 */
export function eventSigner(...secrets: readonly [string, ...string[]]): EventSigner {
  const keys = Promise.all(secrets.map(importSecret));
  // The first request reports an invalid secret.
  keys.catch(() => {});
  return () => {
    const id = `msg_${randomKey()}`;
    return async (body) => {
      const timestamp = String(unixSeconds());
      const text = `${id}.${timestamp}.${body}`;
      const signatures = await Promise.all((await keys).map((key) => signText(key, text)));
      return {
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signatures.join(' '),
      };
    };
  };
}

/**
 * Signs one event, for requests with events of several sources. The signature is valid for five minutes.
 *
 * @example
 * const { secret } = await gatehouse.eventSources.rotateSecret(sourceId);
 * const event = { source: 'https://shop.example/orders', type: 'example.order.paid' };
 * await new Gatehouse({ url }).events.send([await signEvent(event, secret)]);
 */
export async function signEvent(
  event: NewEvent,
  ...secrets: readonly [string, ...string[]]
): Promise<SignedEvent> {
  // A `Date` or another value with `toJSON` is signed as it is sent.
  const { auth: _, ...unsigned }: CloudEvent = JSON.parse(JSON.stringify(toEvent(event)));
  const { id } = unsigned;
  const timestamp = String(unixSeconds());
  const length = new TextEncoder().encode(id).byteLength;
  const text = `${length}.${id}.${timestamp}.${canonicalJson(unsigned)}`;
  const keys = await Promise.all(secrets.map(importSecret));
  const signatures = await Promise.all(keys.map((key) => signText(key, text)));
  return { ...(unsigned as CloudEvent), auth: { signature: signatures.join(' '), timestamp } };
}
