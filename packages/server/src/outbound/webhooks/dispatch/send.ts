import { parse } from '../../../lib/json/index.ts';
import type { Clock } from '../../../lib/scheduling/index.ts';
import {
  contextOf,
  inSpan,
  mayHaveTrace,
  outgoingHeaders,
  type TraceHeaders,
  traceOfEvent,
} from '../../../platform/traces/index.ts';
import type { DeliveryRepository, SubscriptionKey } from '../deliveries/delivery.repository.ts';
import { deliveryId } from '../deliveries/delivery.rules.ts';
import type { PendingDelivery } from '../deliveries/pending-delivery.ts';
import type { WebhookOutcome, WebhookTarget } from '../sending/webhook-sender.ts';
import { messageOf, type SigningKey } from './message.rules.ts';

type JsonObject = Readonly<Record<string, unknown>>;

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
      const trace = mayHaveTrace(text) ? traceOfEvent(parse(text) as JsonObject) : {};
      return await inSpan('deliver webhook', spanOf(receiver, item, trace), async (set) => {
        const outcome = await target.post(
          messageOf(id, text, keys, clock(), outgoingHeaders(trace)),
        );
        if (outcome.answered) set({ 'http.response.status_code': outcome.status });
        else set({ 'error.type': outcome.problem });
        return outcome;
      });
    } catch (error) {
      // The delivery counts as failed, so it is retried with backoff and finally parked.
      onFailure(error);
      return { answered: false, problem: 'the request could not be sent' };
    }
  };
}

/** Returns the options of the span of an attempt, which belongs to the trace of the event. */
function spanOf({ spaceId, subscriptionId }: Receiver, item: PendingDelivery, trace: TraceHeaders) {
  return {
    kind: 'producer',
    parent: contextOf(trace),
    attributes: {
      'http.request.method': 'POST',
      'http.request.resend_count': item.attempts,
      'gatehouse.space.id': spaceId,
      'gatehouse.subscription.id': subscriptionId,
    },
  } as const;
}
