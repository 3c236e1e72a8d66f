import type { Delivery, Subscription } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { client } from '../../app/client.ts';
import { useAction } from '../../app/loading.ts';
import { failedAgain, outcomeOf } from '../../app/refresh.ts';
import { mayEdit } from '../../app/rights.ts';
import { Confirm } from '../../components/confirm.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { t } from '../../translations/translate.ts';

export interface DeliveryActionsProps {
  readonly subscription: Pick<Subscription, 'id' | 'spaceId'>;
  readonly delivery: Pick<Delivery, 'id' | 'state' | 'eventId'>;
  readonly onChanged: () => void;
}

/** Buttons with which editors retry and discard a delivery. A successful delivery has none. */
export function DeliveryActions({ subscription, delivery, onChanged }: DeliveryActionsProps) {
  const { spaceId } = subscription;
  const name = delivery.eventId.slice(0, 100);
  const [isDiscarding, setDiscarding] = useState(false);
  const retry = useAction(async () => {
    const resent = await client.deliveries.resend(subscription.id, delivery.id, { spaceId });
    onChanged();
    const outcome = await outcomeOf(
      () => client.deliveries.get(subscription.id, delivery.id, { spaceId }),
      ({ state, lastAttemptAt }) => state === 'delivered' || lastAttemptAt !== resent.lastAttemptAt,
    );
    onChanged();
    if (outcome && outcome.state !== 'delivered' && outcome.lastAttemptAt !== null)
      throw failedAgain(name, new Date(outcome.lastAttemptAt), outcome.failure);
  });
  const note = retry.problem && <ProblemNote problem={retry.problem} />;
  if (delivery.state === 'delivered' || !mayEdit.value) return note;
  return (
    <>
      <div class="actions">
        <button
          type="button"
          class="small"
          aria-disabled={retry.isRunning}
          onClick={() => void retry.run()}
        >
          {t('Retry now')} <span class="visually-hidden">{name}</span>
        </button>
        <button type="button" class="small danger" onClick={() => setDiscarding(true)}>
          {t('Discard')} <span class="visually-hidden">{name}</span>
        </button>
      </div>
      {note}
      {isDiscarding && (
        <Confirm
          title={t('Discard this delivery?')}
          action={t('Discard')}
          perform={async () => {
            await client.deliveries.delete(subscription.id, delivery.id, { spaceId });
            onChanged();
          }}
          onClose={() => setDiscarding(false)}
        >
          {t(
            'This target will not receive the event {id}, unless you replay it. Deliveries that wait behind it continue. The event remains stored.',
            { id: name },
          )}
        </Confirm>
      )}
    </>
  );
}
