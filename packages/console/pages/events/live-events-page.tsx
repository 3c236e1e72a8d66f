import { ApiError } from '@gatehouse/client';
import { useEffect, useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { client, type Problem, toProblem } from '../../app/client.ts';
import { reloads } from '../../app/connection.ts';
import { liveEventsPath } from '../../app/paths.ts';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Table } from '../../components/table.tsx';
import { plural, t } from '../../translations/translate.ts';
import { attributesOf, type EventAttributes, EventFilter } from './event-filter.tsx';
import { EventCells, eventColumns } from './event-row.tsx';
import { EventTabs } from './event-tabs.tsx';
import { Tail, type TailState, TICK_MS } from './tail.ts';

/** Number of stored events with which the list starts. */
const START_ROWS = 10;

/** The events of a space as they are accepted. */
export function LiveEventsPage() {
  const { spaceId = '' } = useRoute().params;
  const filter = attributesOf(useLocation().query);
  const [round, setRound] = useState(0);
  const key = `${spaceId} ${JSON.stringify(filter)}`;
  return (
    <>
      <EventTabs spaceId={spaceId} />
      <EventFilter key={`filter ${key}`} path={liveEventsPath(spaceId)} />
      <LiveEvents
        key={`${round} ${key}`}
        spaceId={spaceId}
        filter={filter}
        onRetry={() => setRound(round + 1)}
      />
    </>
  );
}

type ConnectionState =
  | { readonly is: 'connecting' | 'connected' }
  | { readonly is: 'lost'; readonly reason: string | null }
  | { readonly is: 'ended'; readonly problem: Problem };

interface Stream {
  readonly spaceId: string;
  readonly filter: EventAttributes;
}

function LiveEvents({ spaceId, filter, onRetry }: Stream & { readonly onRetry: () => void }) {
  const [tail] = useState(() => new Tail());
  const [state, setState] = useState<TailState>(() => tail.tick());
  const [connection, setConnection] = useState<ConnectionState>({ is: 'connecting' });
  useEffect(() => {
    const stop = new AbortController();
    listen(tail, { spaceId, filter, signal: stop.signal, onState: setConnection }).catch(
      (error: unknown) => {
        if (!stop.signal.aborted) setConnection({ is: 'ended', problem: toProblem(error) });
      },
    );
    const timer = setInterval(() => setState(tail.tick()), TICK_MS);
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, []);
  useEffect(() => {
    if (connection.is === 'ended') onRetry();
  }, [reloads.value]);
  const { rows, isPaused } = state;
  const pause = (paused: boolean) => {
    tail.setPaused(paused);
    setState((last) => ({ ...last, isPaused: paused, missed: 0 }));
  };
  return (
    <>
      <div class="live">
        <p role="status">
          <ConnectionBadge connection={connection} />
        </p>
        <p class="grow">
          <Rate state={state} />
        </p>
        <button type="button" onClick={() => pause(!isPaused)}>
          {isPaused ? t('Continue') : t('Pause')}
        </button>
      </div>
      {connection.is === 'ended' && (
        <>
          <ProblemNote problem={connection.problem} />
          <p>
            <button type="button" onClick={onRetry}>
              {t('Try again')}
            </button>
          </p>
        </>
      )}
      {rows.length === 0 ? (
        <div class="empty">
          <p>{t('New events appear here as soon as they are stored. No event has arrived yet.')}</p>
        </div>
      ) : (
        <Table caption={t('Live events, newest first')} columns={eventColumns()}>
          {rows.map(({ key, event }) => (
            <tr key={key}>
              <EventCells spaceId={spaceId} event={event} />
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}

function ConnectionBadge({ connection }: { readonly connection: ConnectionState }) {
  switch (connection.is) {
    case 'connected':
      return <span class="badge good">{t('connected')}</span>;
    case 'connecting':
      return <span class="badge">{t('connecting…')}</span>;
    case 'ended':
      return <span class="badge bad">{t('not connected')}</span>;
    case 'lost':
      return (
        <>
          <span class="badge bad">{t('connection lost, reconnecting…')}</span>{' '}
          {connection.reason !== null && <bdi>{connection.reason}</bdi>}
        </>
      );
  }
}

function Rate({ state }: { readonly state: TailState }) {
  const { isPaused, missed, perSecond, shownPerSecond } = state;
  if (isPaused)
    return (
      <>
        {plural(missed, 'Paused. {count} event since then.', 'Paused. {count} events since then.')}
      </>
    );
  const rate = plural(perSecond, '{count} event per second', '{count} events per second');
  if (perSecond <= shownPerSecond) return <>{rate}</>;
  return (
    <>
      {rate}.{' '}
      {plural(
        shownPerSecond,
        'The list shows a sample of {count} event per second.',
        'The list shows a sample of {count} events per second.',
      )}
    </>
  );
}

interface ListenOptions extends Stream {
  readonly signal: AbortSignal;
  readonly onState: (state: ConnectionState) => void;
}

/** Adds the newest stored events, then each new event. Ends only with an error. */
async function listen(
  tail: Tail,
  { spaceId, filter, signal, onState }: ListenOptions,
): Promise<void> {
  const { items, resume } = await client.events.list(
    { ...filter, order: 'newest', limit: START_ROWS },
    { spaceId, signal },
  );
  tail.start(items.toReversed());
  const stream = client.events.stream(
    { ...filter, ...(resume === null ? {} : { after: resume }) },
    {
      spaceId,
      signal,
      maxRetries: Number.POSITIVE_INFINITY,
      onConnect: () => onState({ is: 'connected' }),
      onDisconnect: (error) =>
        onState({ is: 'lost', reason: error instanceof ApiError ? error.message : null }),
    },
  );
  for await (const item of stream) tail.add(item);
}
