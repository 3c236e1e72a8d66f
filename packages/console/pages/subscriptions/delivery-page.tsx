import type { Delivery, DeliveryWithEvent } from '@gatehouse/client';
import { useRoute } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useLoaded } from '../../app/loading.ts';
import { eventPath, subscriptionPath, withQuery } from '../../app/paths.ts';
import { useRefresh } from '../../app/refresh.ts';
import { LoadingNote } from '../../components/loading-note.tsx';
import { LongCode } from '../../components/long-code.tsx';
import { PageProblem } from '../../components/problem-note.tsx';
import { shortened } from '../../components/shortened.ts';
import { ExactTime } from '../../components/times/exact-time.tsx';
import { plural, t } from '../../translations/translate.ts';
import { DeliveryActions } from './delivery-actions.tsx';
import { DeliveryBadge, NextAttempt } from './states.tsx';
import './subscriptions.css';

const REFRESH_MS = 5_000;
/** Header that contains the ID of the delivery. */
const ID_HEADER = 'webhook-id';

/** One delivery: its attempts and its event. */
export function DeliveryPage() {
  const { spaceId = '', subscriptionId = '', deliveryId = '' } = useRoute().params;
  const { data, problem, reload } = useLoaded(`${subscriptionId} ${deliveryId}`, () =>
    client.deliveries.get(subscriptionId, deliveryId, { spaceId }),
  );
  useRefresh(reload, REFRESH_MS);
  return (
    <>
      <p>
        <a href={subscriptionPath(spaceId, subscriptionId)}>{t('Subscription')}</a>
      </p>
      {problem !== null && <PageProblem problem={problem} />}
      {data === undefined && problem === null && <LoadingNote />}
      {data !== undefined && (
        <>
          <h1>
            <bdi>{shortened(data.type)}</bdi>
          </h1>
          <DeliveryActions
            subscription={{ id: subscriptionId, spaceId }}
            delivery={data}
            onChanged={reload}
          />
          <Details spaceId={spaceId} delivery={data} />
          <Attempts delivery={data} />
          <section aria-labelledby="event">
            <h2 id="event">{t('Event as it is sent')}</h2>
            <LongCode name={t('Event as it is sent')} text={JSON.stringify(data.event, null, 2)} />
          </section>
        </>
      )}
    </>
  );
}

interface DetailsProps {
  readonly spaceId: string;
  readonly delivery: DeliveryWithEvent;
}

function Details({ spaceId, delivery }: DetailsProps) {
  const { id, state, subject, receivedAt, nextAttemptAt, deliveredAt } = delivery;
  const listed = { id: shortened(delivery.eventId), source: shortened(delivery.source) };
  return (
    <dl>
      <dt>{t('State')}</dt>
      <dd>
        <DeliveryBadge state={state} /> {deliveredAt !== null && <ExactTime at={deliveredAt} />}
      </dd>
      <dt>{ID_HEADER}</dt>
      <dd>
        <code>{id}</code>
      </dd>
      <dt>{t('Event')}</dt>
      <dd>
        <a
          href={withQuery(eventPath(spaceId), {
            at: receivedAt,
            source: listed.source,
            id: listed.id,
          })}
        >
          <bdi>{listed.id}</bdi>
        </a>
      </dd>
      <dt>{t('Source')}</dt>
      <dd>
        <bdi>{listed.source}</bdi>
      </dd>
      {subject !== null && (
        <>
          <dt>{t('Subject')}</dt>
          <dd>
            <bdi>{shortened(subject)}</bdi>
          </dd>
        </>
      )}
      <dt>{t('Received')}</dt>
      <dd>
        <ExactTime at={receivedAt} />
      </dd>
      {nextAttemptAt !== null && (
        <>
          <dt>{t('Next attempt')}</dt>
          <dd>
            <NextAttempt delivery={delivery} />
          </dd>
        </>
      )}
    </dl>
  );
}

function Attempts({ delivery: { attempts, attemptLog } }: { readonly delivery: Delivery }) {
  return (
    <section aria-labelledby="attempts">
      <h2 id="attempts">{plural(attempts, '{count} attempt', '{count} attempts')}</h2>
      {attemptLog.length === 0 && (
        <p class="hint">{t('The delivery waits behind an earlier event with the same subject.')}</p>
      )}
      {attempts > attemptLog.length && (
        <p class="hint">{t('The newest 20 attempts are listed.')}</p>
      )}
      <ol class="attempts" reversed>
        {attemptLog.toReversed().map((attempt) => (
          <li key={attempt.at}>
            <p>
              <ExactTime at={attempt.at} />{' '}
              <span class={attempt.failure === null ? 'badge good' : 'badge bad'}>
                {attempt.status ?? t('no response')}
              </span>{' '}
              {t('{milliseconds} ms', { milliseconds: attempt.durationMs })}
            </p>
            {attempt.failure !== null && (
              <p>
                <bdi>{attempt.failure}</bdi>
              </p>
            )}
            {attempt.response && <pre class="response">{attempt.response}</pre>}
          </li>
        ))}
      </ol>
    </section>
  );
}
