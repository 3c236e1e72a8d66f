import { parse } from '../../../lib/json/index.ts';
import type { Clock } from '../../../lib/scheduling/index.ts';
import type { Sealer } from '../../../platform/secrets/index.ts';
import {
  contextOf,
  inSpan,
  mayHaveTrace,
  outgoingHeaders,
  type TraceHeaders,
  traceOfEvent,
} from '../../../platform/traces/index.ts';
import { type Attempt, fromText } from '../deliveries/attempt-log.ts';
import type { DeliveryRepository, SubscriptionKey } from '../deliveries/delivery.repository.ts';
import { deliveryId, responseContext } from '../deliveries/delivery.rules.ts';
import type { PendingDelivery } from '../deliveries/pending-delivery.ts';
import type { WebhookOutcome, WebhookTarget } from '../sending/webhook-sender.ts';
import { messageOf, type SigningKey } from './message.rules.ts';
import { createResponseText } from './response-text.rules.ts';
import { type AttemptFailure, failureOf } from './retry.rules.ts';

/** The result of an attempt. */
export interface SendResult {
  /** `null`: the target answered with a 2xx status. */
  readonly failure: AttemptFailure | null;
  readonly attempt: Attempt;
  /** Attempts before this one. */
  readonly log: readonly Attempt[];
}

type JsonObject = Readonly<Record<string, unknown>>;

/** `unreadable`: the event text cannot be read. `no-row`: the row of the delivery was deleted. In both cases no request was sent. */
export type SendOutcome = SendResult | 'unreadable' | 'no-row';

interface SendDeps {
  readonly deliveries: DeliveryRepository;
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly onFailure: (error: unknown) => void;
}

/** The properties of a subscription that are needed to send a delivery. */
export interface Receiver extends SubscriptionKey {
  readonly keys: readonly SigningKey[];
  readonly target: WebhookTarget;
}

/** Creates a function that signs a delivery and sends it to the target of a subscription. The function never rejects. */
export function createSend({ deliveries, clock, sealer, onFailure }: SendDeps, receiver: Receiver) {
  const { target, keys, subscriptionId } = receiver;
  const responseText = createResponseText(keys);
  const context = responseContext(receiver);

  async function post(item: PendingDelivery, text: string): Promise<WebhookOutcome> {
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
  }

  function toAttempt(outcome: WebhookOutcome, message: string | null, at: number, took: number) {
    const body = outcome.answered ? outcome.body : undefined;
    const response = body === undefined ? null : responseText(body);
    return {
      at,
      status: outcome.answered ? outcome.status : null,
      durationMs: Math.round(took),
      failure: message,
      response: response === null ? null : sealer.seal(response, context),
    };
  }

  return async (item: PendingDelivery): Promise<SendOutcome> => {
    // The log in memory may be newer than the log in the row.
    let { text, log } = item;
    try {
      if (text === null || log === null) {
        const row = await deliveries.texts(receiver, item.position);
        if (row === undefined) return 'no-row';
        text ??= row.text;
        log ??= fromText(row.attempt_log);
      }
    } catch (error) {
      onFailure(error);
      return 'unreadable';
    }
    const at = Math.round(clock());
    const startedAt = performance.now();
    const outcome = await post(item, text);
    const failure = failureOf(outcome, clock());
    const took = performance.now() - startedAt;
    return { failure, attempt: toAttempt(outcome, failure?.message ?? null, at, took), log };
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
