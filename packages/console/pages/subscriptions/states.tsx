import type { Delivery, Subscription } from '@gatehouse/client';
import { ExactTime } from '../../components/times/exact-time.tsx';
import { rich, t } from '../../translations/translate.ts';

/** The state of a subscription. */
export function SubscriptionBadge({ subscription }: { readonly subscription: Subscription }) {
  const { state, held } = subscription;
  if (state === 'disabled') return <span class="badge warn">{t('paused')}</span>;
  if (state === 'ended') return <span class="badge bad">{t('ended by the target')}</span>;
  if (held !== null) return <span class="badge bad">{t('held')}</span>;
  if (isFailing(subscription)) return <span class="badge bad">{t('failing')}</span>;
  return <span class="badge good">{t('active')}</span>;
}

/** Reports whether deliveries are left and the last attempt has failed. */
function isFailing({ waiting, parked, lastFailure, lastDeliveredAt }: Subscription): boolean {
  if (waiting + parked === 0 || lastFailure === null) return false;
  return lastDeliveredAt === null || lastFailure.at > lastDeliveredAt;
}

/** The state of a delivery. */
export function DeliveryBadge({ state }: { readonly state: Delivery['state'] }) {
  if (state === 'waiting') return <span class="badge warn">{t('waiting')}</span>;
  if (state === 'parked') return <span class="badge bad">{t('parked')}</span>;
  return <span class="badge good">{t('delivered')}</span>;
}

/** The time of the next attempt, or the reason why it has none yet. */
export function NextAttempt({ delivery }: { readonly delivery: Delivery }) {
  const { state, attempts, nextAttemptAt } = delivery;
  if (state === 'waiting' && attempts === 0) return <>{t('after an earlier delivery')}</>;
  return <ExactTime at={nextAttemptAt} />;
}

/** The events that a subscription delivers. */
export function Selection({
  subscription: { types, sources },
}: {
  readonly subscription: Pick<Subscription, 'types' | 'sources'>;
}) {
  if (types === null && sources === null) return <>{t('all events')}</>;
  return (
    <>
      {types !== null && (
        <div>{rich('types: {list}', { list: <bdi>{types.join(', ')}</bdi> })}</div>
      )}
      {sources !== null && (
        <div>{rich('sources: {list}', { list: <bdi>{sources.join(', ')}</bdi> })}</div>
      )}
    </>
  );
}
