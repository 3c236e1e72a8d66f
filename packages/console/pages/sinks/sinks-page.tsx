import { useRoute } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useLoaded } from '../../app/loading.ts';
import { subscriptionsPath } from '../../app/paths.ts';
import { useRefresh } from '../../app/refresh.ts';
import { useSpace } from '../../app/space.ts';
import { ProblemNote } from '../../components/problem-note.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { plural, rich, t } from '../../translations/translate.ts';

const REFRESH_MS = 5_000;
/** Settings that enable the sinks. */
const SETTINGS = { kafka: 'GATEHOUSE_KAFKA_BROKERS', nats: 'GATEHOUSE_NATS_URL' } as const;

/** The brokers to which the installation publishes the events of a space, and the other consumers of the events, with their lag. */
export function SinksPage() {
  const { spaceId = '' } = useRoute().params;
  useSpace(spaceId);
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
      {data === undefined && problem === null && <p class="hint">{t('Loading…')}</p>}
      {sinks?.length === 0 && (
        <div class="empty">
          <p>
            {rich(
              'A sink publishes the events of all spaces to a message broker: Kafka or NATS JetStream. The operator of the installation configures it with {settings}. The {guide} shows how.',
              {
                settings: (
                  <>
                    <code>{SETTINGS.kafka}</code> {t('or')} <code>{SETTINGS.nats}</code>
                  </>
                ),
                guide: (
                  <a href="/docs/guides/publish-events" rel="external">
                    {t('guide')}
                  </a>
                ),
              },
            )}
          </p>
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
