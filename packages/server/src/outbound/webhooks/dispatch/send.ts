import type { Clock } from '../../../lib/scheduling/index.ts';
import type { DeliveryRepository, SubscriptionKey } from '../deliveries/delivery.repository.ts';
import { deliveryId } from '../deliveries/delivery.rules.ts';
import type { PendingDelivery } from '../deliveries/pending-delivery.ts';
import type { WebhookOutcome, WebhookTarget } from '../sending/webhook-sender.ts';
import { messageOf, type SigningKey } from './message.rules.ts';

/** `unreadable`: the event text cannot be read. `no-row`: the row of the delivery was deleted. In both cases no request was sent. */
export type SendOutcome = WebhookOutcome | 'unreadable' | 'no-row';

interface SendDeps {
  readonly deliveries: DeliveryRepository;
  readonly clock: Clock;
  readonly onFailure: (error: unknown) => void;
}

/** The properties of a subscription that are needed to send a delivery. */
export interface Receiver extends SubscriptionKey {
  readonly keys: readonly SigningKey[];
  readonly target: WebhookTarget;
}

/** Creates a function that signs a delivery and sends it to the target of a subscription. The function never rejects. */
export function createSend({ deliveries, clock, onFailure }: SendDeps, receiver: Receiver) {
  const { target, keys, subscriptionId } = receiver;

  return async (item: PendingDelivery): Promise<SendOutcome> => {
    let text: string | undefined;
    try {
      text = item.text ?? (await deliveries.text(receiver, item.position));
    } catch (error) {
      onFailure(error);
      return 'unreadable';
    }
    if (text === undefined) return 'no-row';
    try {
      const id = deliveryId(subscriptionId, item.position);
      return await target.post(messageOf(id, text, keys, clock()));
    } catch (error) {
      // The delivery counts as failed, so it is retried with backoff and finally parked.
      onFailure(error);
      return { answered: false, problem: 'the request could not be sent' };
    }
  };
}
