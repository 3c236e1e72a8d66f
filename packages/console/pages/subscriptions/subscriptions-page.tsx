import { useLocation, useRoute } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useLoaded } from '../../app/loading.ts';
import { subscriptionPath, subscriptionsPath } from '../../app/paths.ts';
import { useRefresh } from '../../app/refresh.ts';
import { mayEdit } from '../../app/rights.ts';
import { List } from '../../components/list.tsx';
import { ExactTime } from '../../components/times/exact-time.tsx';
import { formatNumber, t } from '../../translations/translate.ts';
import { NewSubscription } from './new-subscription.tsx';
import { Selection, SubscriptionBadge } from './states.tsx';

const REFRESH_MS = 10_000;

/** The subscriptions of a space with their state and backlog. */
export function SubscriptionsPage() {
  const { spaceId = '' } = useRoute().params;
  const after = useLocation().query['after'];
  const page = useLoaded(`subscriptions ${spaceId} ${after}`, () =>
    client.subscriptions.list(after === undefined ? {} : { after }, { spaceId }),
  );
  useRefresh(page.reload, REFRESH_MS);
  return (
    <>
      <h1>{t('Subscriptions')}</h1>
      <List
        caption={t('Subscriptions')}
        columns={[
          t('Target'),
          t('State'),
          t('Events'),
          t('Lag'),
          t('Waiting'),
          t('Parked'),
          t('Last delivery'),
        ]}
        page={page}
        path={subscriptionsPath(spaceId)}
        query={{ after }}
        keyOf={({ id }) => id}
        row={(subscription) => (
          <>
            <td>
              <a href={subscriptionPath(spaceId, subscription.id)}>
                <bdi>{subscription.url}</bdi>
              </a>
            </td>
            <td>
              <SubscriptionBadge subscription={subscription} />
            </td>
            <td class="attribute">
              <Selection subscription={subscription} />
            </td>
            <td>{formatNumber(subscription.lag)}</td>
            <td>{formatNumber(subscription.waiting)}</td>
            <td>{formatNumber(subscription.parked)}</td>
            <td>
              <ExactTime at={subscription.lastDeliveredAt} />
            </td>
          </>
        )}
        empty={
          mayEdit.value
            ? t(
                'A subscription sends the events of this space to a URL of yours, signed and at least once. Failed deliveries are retried for three days. Create the first one below.',
              )
            : t('This space has no subscription. An editor can create one.')
        }
      />
      {mayEdit.value && <NewSubscription spaceId={spaceId} onCreated={page.reload} />}
    </>
  );
}
