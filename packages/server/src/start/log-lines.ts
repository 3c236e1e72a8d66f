import { AnswerFailure } from '../assistant/index.ts';
import type { DeliveryEvent } from '../outbound/webhooks/index.ts';
import type { Log } from '../platform/logs/index.ts';

/** A failure that the model is to blame for says what it may of it; any other shows where it was thrown. */
export function logFailedAnswer(log: Log, err: unknown, requestId: string): void {
  if (err instanceof AnswerFailure) {
    const { code, detail } = err;
    log.warn({ requestId, code, detail }, 'an answer broke off');
  } else log.error({ requestId, err }, 'an answer broke off');
}

const SAID_OF_DELIVERIES = {
  ended: 'a subscription ended: its target answered 410',
  parked: 'deliveries of a subscription were parked after three days',
  'unreadable-secret':
    'the secret of this subscription cannot be decrypted, since the secret of the installation was another one; give it a new secret',
  failure: 'deliveries of a subscription could not go on; it is tried again',
} as const;

/** What an operator should know of subscriptions; never where they send to, which may hold a secret. */
export function logDelivery(log: Log, event: DeliveryEvent): void {
  const words = SAID_OF_DELIVERIES[event.kind];
  if (event.kind === 'failure') log.error({ ...event.subscription, err: event.error }, words);
  else if (event.kind === 'unreadable-secret') log.error({ ...event.subscription }, words);
  else log.warn({ ...event.subscription }, words);
}
