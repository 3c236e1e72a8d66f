import type { EventStats } from '@gatehouse/client';
import { useRoute } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useLoaded } from '../../app/loading.ts';
import { eventsPath, rejectedEventsPath, sinksPath, withQuery } from '../../app/paths.ts';
import { useRefresh } from '../../app/refresh.ts';
import { LoadingNote } from '../../components/loading-note.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { ExactTime } from '../../components/times/exact-time.tsx';
import { formatNumber, plural, rich, t } from '../../translations/translate.ts';
import { EventTabs } from './event-tabs.tsx';
import { RatesChart } from './rates-chart.tsx';
import { reasonName } from './reasons.ts';

const REFRESH_MS = 10_000;

/** The events of the last hour as a chart, by type, source and reason of rejection. */
export function EventRatesPage() {
  const { spaceId = '' } = useRoute().params;
  const { data, problem, reload } = useLoaded(`rates ${spaceId}`, () =>
    client.events.stats({ spaceId }),
  );
  useRefresh(reload, REFRESH_MS);
  return (
    <>
      <EventTabs spaceId={spaceId} />
      {problem !== null && <ProblemNote problem={problem} />}
      {data !== undefined && <Rates spaceId={spaceId} stats={data} />}
      {data === undefined && problem === null && <LoadingNote />}
    </>
  );
}

interface RatesProps {
  readonly spaceId: string;
  readonly stats: EventStats;
}

function Rates({ spaceId, stats }: RatesProps) {
  const rejected = perMinute([...stats.failures, ...stats.refused]);
  const [accepted, refused] = [sum(stats.accepted), sum(rejected)];
  return (
    <>
      <p>
        {plural(accepted, '{count} event accepted', '{count} events accepted')},{' '}
        {plural(refused, '{count} rejection', '{count} rejections')}.{' '}
        {rich('Counted since {time}.', { time: <ExactTime at={stats.since} /> })}
      </p>
      <RatesChart
        firstMinute={Date.parse(stats.firstMinute)}
        accepted={stats.accepted}
        rejected={rejected}
      />
      <div class="columns">
        <Names
          title={t('Types')}
          counts={stats.types}
          linkOf={(type) => withQuery(eventsPath(spaceId), { type })}
        />
        <Names
          title={t('Sources')}
          counts={stats.sources}
          linkOf={(source) => withQuery(eventsPath(spaceId), { source })}
        />
      </div>
      {refused > 0 && (
        <section aria-labelledby="rejections">
          <h2 id="rejections">{t('Rejections')}</h2>
          <SimpleTable
            caption={t('Rejections by reason')}
            columns={[t('Reason'), t('Rejected'), t('Last hour')]}
            rows={[
              ...stats.failures.map((one) => ({ ...one, what: t('single events') })),
              ...stats.refused.map((one) => ({ ...one, what: t('whole requests') })),
            ].map(({ reason, total, what }) => [reasonName(reason), what, formatNumber(total)])}
          />
          <p>
            <a href={rejectedEventsPath(spaceId)}>{t('Rejected events and their senders')}</a>
          </p>
        </section>
      )}
      <p class="hint">
        {plural(
          stats.stored,
          '{count} event was stored in this space in total.',
          '{count} events were stored in this space in total.',
        )}{' '}
        {plural(stats.listeners, '{count} open stream.', '{count} open streams.')}{' '}
        <a href={sinksPath(spaceId)}>{t('Consumers and their lag')}</a>
      </p>
    </>
  );
}

interface NamesProps {
  readonly title: string;
  readonly counts: EventStats['types'];
  readonly linkOf: (name: string) => string;
}

function Names({ title, counts, linkOf }: NamesProps) {
  const shown = counts.filter(({ total }) => total > 0);
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {shown.length === 0 ? (
        <p class="hint">{t('No event in the last hour.')}</p>
      ) : (
        <SimpleTable
          caption={title}
          columns={[t('Name'), t('Last hour')]}
          rows={shown.map(({ name, total }) => [
            name === null ? (
              t('all others')
            ) : (
              <a href={linkOf(name)}>
                <bdi>{name.slice(0, 300)}</bdi>
              </a>
            ),
            formatNumber(total),
          ])}
        />
      )}
    </section>
  );
}

/** Adds the counts of all entries per minute. */
function perMinute(entries: readonly { readonly perMinute: readonly number[] }[]): number[] {
  return Array.from({ length: 60 }, (_, minute) =>
    sum(entries.map((entry) => entry.perMinute[minute] ?? 0)),
  );
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
