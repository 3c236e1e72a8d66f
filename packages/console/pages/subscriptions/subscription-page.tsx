import type { Subscription } from '@gatehouse/client';
import { useCallback, useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useLoaded } from '../../app/loading.ts';
import { subscriptionsPath } from '../../app/paths.ts';
import { useRefresh } from '../../app/refresh.ts';
import { mayEdit } from '../../app/rights.ts';
import { LoadingNote } from '../../components/loading-note.tsx';
import { PageProblem } from '../../components/problem-note.tsx';
import { SecretPeriods } from '../../components/secrets/secret-periods.tsx';
import { ExactTime } from '../../components/times/exact-time.tsx';
import { plural, t } from '../../translations/translate.ts';
import { Deliveries } from './deliveries.tsx';
import { ReplayState } from './replay.tsx';
import { Selection, SubscriptionBadge } from './states.tsx';
import { SubscriptionActions } from './subscription-actions.tsx';

const REFRESH_MS = 5_000;

/** One subscription: its state, its actions and its deliveries. */
export function SubscriptionPage() {
  const { spaceId = '', subscriptionId = '' } = useRoute().params;
  const [round, setRound] = useState(0);
  const loaded = useLoaded(subscriptionId, () =>
    client.subscriptions.get(subscriptionId, { spaceId }),
  );
  const reload = useCallback(() => {
    loaded.reload();
    setRound((count) => count + 1);
  }, [loaded.reload]);
  useRefresh(reload, REFRESH_MS);
  const { data: subscription, problem } = loaded;
  return (
    <>
      <p>
        <a href={subscriptionsPath(spaceId)}>{t('Subscriptions')}</a>
      </p>
      {problem !== null && <PageProblem problem={problem} />}
      {subscription === undefined && problem === null && <LoadingNote />}
      {subscription !== undefined && (
        <>
          <h1>
            <bdi>{subscription.url}</bdi>
          </h1>
          {mayEdit.value && <SubscriptionActions subscription={subscription} onChanged={reload} />}
          <Details subscription={subscription} onChanged={reload} />
          <Deliveries subscription={subscription} round={round} onChanged={reload} />
        </>
      )}
    </>
  );
}

interface DetailsProps {
  readonly subscription: Subscription;
  readonly onChanged: () => void;
}

function Details({ subscription, onChanged }: DetailsProps) {
  const { lag, lastFailure, held, endReason, replay } = subscription;
  return (
    <dl>
      <dt>{t('State')}</dt>
      <dd>
        <SubscriptionBadge subscription={subscription} /> <bdi>{endReason ?? held}</bdi>
      </dd>
      <dt>{t('Events')}</dt>
      <dd>
        <Selection subscription={subscription} />
      </dd>
      <dt>{t('Lag')}</dt>
      <dd>
        {lag === 0
          ? t('none: all events are processed')
          : plural(lag, '{count} event not yet processed', '{count} events not yet processed')}
      </dd>
      <dt>{t('Last delivery')}</dt>
      <dd>
        <ExactTime at={subscription.lastDeliveredAt} />
      </dd>
      {lastFailure !== null && (
        <>
          <dt>{t('Last failure')}</dt>
          <dd>
            <ExactTime at={lastFailure.at} />: <bdi>{lastFailure.message}</bdi>
          </dd>
        </>
      )}
      {replay !== null && (
        <>
          <dt>{t('Replay')}</dt>
          <dd>
            <ReplayState subscription={subscription} replay={replay} onChanged={onChanged} />
          </dd>
        </>
      )}
      <dt>{t('Secret')}</dt>
      <dd>
        <SecretPeriods secrets={subscription.secrets} />
      </dd>
      <dt>{t('Created')}</dt>
      <dd>
        <ExactTime at={subscription.createdAt} />
      </dd>
    </dl>
  );
}
