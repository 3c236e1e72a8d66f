import { useRoute } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useLoaded } from '../../app/loading.ts';
import { projectionsPath, subscriptionsPath } from '../../app/paths.ts';
import { useRefresh } from '../../app/refresh.ts';
import { LoadingNote } from '../../components/loading-note.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { plural, rich, t } from '../../translations/translate.ts';

const REFRESH_MS = 5_000;
/** Settings of the sinks. The first one enables the sink. */
const SETTINGS = [
  {
    broker: 'Kafka',
    required: 'GATEHOUSE_KAFKA_BROKERS',
    optional: [
      'GATEHOUSE_KAFKA_TOPIC',
      'GATEHOUSE_KAFKA_TLS',
      'GATEHOUSE_KAFKA_SASL',
      'GATEHOUSE_KAFKA_USER',
      'GATEHOUSE_KAFKA_PASSWORD',
    ],
  },
  {
    broker: 'NATS JetStream',
    required: 'GATEHOUSE_NATS_URL',
    optional: [
      'GATEHOUSE_NATS_SUBJECT',
      'GATEHOUSE_NATS_USER',
      'GATEHOUSE_NATS_PASSWORD',
      'GATEHOUSE_NATS_TOKEN',
      'GATEHOUSE_NATS_CREDENTIALS_FILE',
    ],
  },
] as const;

/** The brokers to which the installation publishes the events of a space, and the other consumers of the events, with their lag. */
export function SinksPage() {
  const { spaceId = '' } = useRoute().params;
  const { data, problem, reload } = useLoaded(`sinks ${spaceId}`, () =>
    client.events.stats({ spaceId }),
  );
  useRefresh(reload, REFRESH_MS);
  const isSink = ({ name }: { name: string }) => BROKERS.has(name);
  const sinks = data?.consumers.filter(isSink);
  const others = data?.consumers.filter((consumer) => !isSink(consumer));
  return (
    <>
      <h1>{t('Sinks')}</h1>
      {problem !== null && <ProblemNote problem={problem} />}
      {data === undefined && problem === null && <LoadingNote />}
      {sinks?.length === 0 && (
        <div class="empty">
          <p>
            {t('A sink publishes the events of all spaces to a message broker.')}{' '}
            {rich(
              'Sinks are settings of the installation, so an operator enables them. The {guide} shows how.',
              {
                guide: (
                  <a href="/docs/guides/publish-events" rel="external">
                    {t('guide')}
                  </a>
                ),
              },
            )}
          </p>
          <SimpleTable
            caption={t('Settings')}
            columns={[t('Broker'), t('Required setting'), t('Other settings')]}
            rows={SETTINGS.map(({ broker, required, optional }) => [
              broker,
              <code>{required}</code>,
              optional.map((name) => (
                <div key={name}>
                  <code>{name}</code>
                </div>
              )),
            ])}
          />
        </div>
      )}
      {sinks !== undefined && sinks.length > 0 && (
        <SimpleTable
          caption={t('Sinks')}
          columns={[t('Broker'), t('State'), t('Lag')]}
          rows={sinks.map(({ name, lag }) => [
            BROKERS.get(name),
            <LagBadge lag={lag} />,
            lagText(lag),
          ])}
        />
      )}
      {others !== undefined && others.length > 0 && (
        <section aria-labelledby="consumers">
          <h2 id="consumers">{t('Other consumers')}</h2>
          <SimpleTable
            caption={t('Other consumers')}
            columns={[t('Consumer'), t('State'), t('Lag')]}
            rows={others.map(({ name, lag }) => [
              <ConsumerName name={name} spaceId={spaceId} />,
              <LagBadge lag={lag} />,
              lagText(lag),
            ])}
          />
        </section>
      )}
    </>
  );
}

/** Names of the consumers that are sinks, and of their brokers. */
const BROKERS: ReadonlyMap<string, string> = new Map([
  ['sink.kafka', 'Kafka'],
  ['sink.nats', 'NATS JetStream'],
]);

function ConsumerName({ name, spaceId }: { readonly name: string; readonly spaceId: string }) {
  if (name === 'deliveries') return <a href={subscriptionsPath(spaceId)}>{t('Subscriptions')}</a>;
  if (name === 'projections') return <a href={projectionsPath(spaceId)}>{t('Projections')}</a>;
  if (name === 'knowledge') return <>{t('Documents from events')}</>;
  return <bdi>{name}</bdi>;
}

function LagBadge({ lag }: { readonly lag: number }) {
  return lag === 0 ? (
    <span class="badge good">{t('up to date')}</span>
  ) : (
    <span class="badge warn">{t('behind')}</span>
  );
}

function lagText(lag: number): string {
  return plural(lag, '{count} event', '{count} events');
}
