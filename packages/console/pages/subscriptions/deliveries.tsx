import type { Delivery, Subscription } from '@gatehouse/client';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useAction, useLoaded } from '../../app/loading.ts';
import { deliveryPath, subscriptionPath, withQuery } from '../../app/paths.ts';
import { mayEdit } from '../../app/rights.ts';
import { Select } from '../../components/field.tsx';
import { List } from '../../components/list.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { shortened } from '../../components/shortened.ts';
import { AttributeText } from '../../components/table.tsx';
import { ExactTime } from '../../components/times/exact-time.tsx';
import { formatNumber, plural, t } from '../../translations/translate.ts';
import { DeliveryActions } from './delivery-actions.tsx';
import { DeliveryBadge, NextAttempt } from './states.tsx';
import './subscriptions.css';

const STATES = ['waiting', 'parked', 'delivered'] as const;

export interface DeliveriesProps {
  readonly subscription: Subscription;
  /** The list is loaded again when this number changes. */
  readonly round: number;
  readonly onChanged: () => void;
}

/** The deliveries of a subscription, by state. */
export function Deliveries({ subscription, round, onChanged }: DeliveriesProps) {
  const { id, spaceId, parked } = subscription;
  const { query, route } = useLocation();
  const state = STATES.find((one) => one === query['state']);
  const after = query['after'];
  const path = subscriptionPath(spaceId, id);
  const page = useLoaded(`deliveries ${id} ${state} ${after}`, () =>
    client.deliveries.list(id, { ...(state && { state }), ...(after && { after }) }, { spaceId }),
  );
  useEffect(() => {
    if (round > 0) page.reload();
  }, [round]);
  const retryAll = useAction(async () => {
    await client.deliveries.resendAll(id, { spaceId });
    onChanged();
  });
  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries">{t('Deliveries')}</h2>
      <form class="row" onSubmit={(event) => event.preventDefault()}>
        <Select
          label={t('State')}
          options={[
            ['', t('Waiting and parked')],
            ['waiting', t('Waiting')],
            ['parked', t('Parked')],
            ['delivered', t('Delivered')],
          ]}
          value={state ?? ''}
          onValue={(value) => route(withQuery(path, { state: value }))}
        />
        {mayEdit.value && parked > 0 && (
          <button
            type="button"
            aria-disabled={retryAll.isRunning}
            onClick={() => void retryAll.run()}
          >
            {plural(parked, 'Retry {count} parked delivery', 'Retry all {count} parked deliveries')}
          </button>
        )}
      </form>
      {retryAll.problem && <ProblemNote problem={retryAll.problem} />}
      <List
        caption={t('Deliveries')}
        columns={[
          t('Event'),
          t('State'),
          t('Attempts'),
          t('Last attempt'),
          t('Next attempt'),
          t('Actions'),
        ]}
        page={page}
        path={path}
        query={{ state, after }}
        keyOf={({ id: delivery, deliveredAt }) => `${delivery} ${deliveredAt}`}
        row={(delivery) => (
          <Cells subscription={subscription} delivery={delivery} onChanged={onChanged} />
        )}
        empty={emptyText(state)}
      />
    </section>
  );
}

function emptyText(state: Delivery['state'] | undefined): string {
  if (state === 'delivered')
    return t(
      'The target has not received an event yet. Successful deliveries are listed for 7 days by default.',
    );
  if (state === 'parked')
    return t(
      'No delivery is parked. A delivery is parked after three days of failed attempts, so that you can retry or discard it.',
    );
  return t(
    'No delivery is waiting. Deliveries appear here if the target fails, and are then retried for three days.',
  );
}

interface CellsProps {
  readonly subscription: Subscription;
  readonly delivery: Delivery;
  readonly onChanged: () => void;
}

function Cells({ subscription, delivery, onChanged }: CellsProps) {
  const { id, spaceId } = subscription;
  const { state, eventId, type, attempts, failure, lastAttemptAt } = delivery;
  return (
    <>
      <td>
        <a href={deliveryPath(spaceId, id, delivery.id)}>
          <AttributeText text={type} />
          <span class="visually-hidden"> {shortened(eventId)}</span>
        </a>
        <div class="hint">
          <bdi>{shortened(eventId)}</bdi>
        </div>
      </td>
      <td>
        <DeliveryBadge state={state} />
      </td>
      <td>{formatNumber(attempts)}</td>
      <td>
        <ExactTime at={lastAttemptAt} />
        {failure !== null && (
          <div class="hint">
            <bdi>{failure}</bdi>
          </div>
        )}
      </td>
      <td>
        <NextAttempt delivery={delivery} />
      </td>
      <td>
        <DeliveryActions subscription={subscription} delivery={delivery} onChanged={onChanged} />
      </td>
    </>
  );
}
