import type { FeedPage } from '@gatehouse/client';
import { useLocation, useRoute } from 'preact-iso';
import { client } from '../../app/client.ts';
import type { Query } from '../../app/early.ts';
import { useLoaded } from '../../app/loading.ts';
import { eventsPath, spacePath, withQuery } from '../../app/paths.ts';
import { List } from '../../components/list.tsx';
import { rich, t } from '../../translations/translate.ts';
import { attributesOf, EventFilter } from './event-filter.tsx';
import { EventCells, eventColumns } from './event-row.tsx';
import { EventTabs } from './event-tabs.tsx';
import { toListed } from './listed-event.ts';

/** Maximum number of requests for a page that contains no match. Each request searches thousands of events. */
const MAX_REQUESTS = 5;

function filterOf(query: Query) {
  const { from = '', to = '' } = query;
  return { ...attributesOf(query), ...(from && { from }), ...(to && { to }) };
}

/** The page of events that an address names. */
export function sourceOf(spaceId: string, query: Query) {
  const filter = filterOf(query);
  const { after = '' } = query;
  return {
    key: `events ${spaceId} ${after} ${JSON.stringify(filter)}`,
    load: async () => {
      const { items, next } = await search(spaceId, filter, after);
      return { items: items.map(toListed), next };
    },
  };
}

/** The stored events of a space, newest first. */
export function EventsPage() {
  const { spaceId = '' } = useRoute().params;
  const { query } = useLocation();
  const { after = '' } = query;
  const filter = filterOf(query);
  const path = eventsPath(spaceId);
  const { key, load } = sourceOf(spaceId, query);
  const page = useLoaded(key, load);
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      <EventTabs spaceId={spaceId} />
      <EventFilter key={JSON.stringify(filter)} path={path} hasTimes />
      <List
        caption={t('Stored events, newest first')}
        columns={eventColumns()}
        page={page}
        path={path}
        query={{ ...filter, after }}
        keyOf={({ source, id, receivedAt }) => `${receivedAt} ${source} ${id}`}
        row={(event) => <EventCells spaceId={spaceId} event={event} />}
        empty={
          isFiltered ? (
            <NoMatch path={path} filter={filter} next={page.data?.next ?? null} />
          ) : (
            <p>
              {rich(
                'Events are messages from other systems. The service stores each of them once and delivers them to your subscriptions. Send events with {operation}; the {overview} shows an example.',
                {
                  operation: <code>POST /events</code>,
                  overview: <a href={spacePath(spaceId)}>{t('overview of the space')}</a>,
                },
              )}
            </p>
          )
        }
      />
    </>
  );
}

interface NoMatchProps {
  readonly path: string;
  readonly filter: Readonly<Record<string, string>>;
  /** Cursor of the events that the search has not reached yet. */
  readonly next: string | null;
}

function NoMatch({ path, filter, next }: NoMatchProps) {
  return next === null ? (
    <p>
      {t('No stored event matches.')} <a href={path}>{t('Show all events')}</a>
    </p>
  ) : (
    <p>
      {t('None of the newest events matches.')}{' '}
      <a href={withQuery(path, { ...filter, after: next })}>{t('Search older events')}</a>
    </p>
  );
}

/** Returns the first page with an event. A page can be empty even if older events match. */
async function search(
  spaceId: string,
  filter: Readonly<Record<string, string>>,
  start: string,
): Promise<Pick<FeedPage, 'items' | 'next'>> {
  let after = start;
  for (let request = 1; ; request += 1) {
    const page = await client.events.list(
      { ...filter, order: 'newest', ...(after && { after }) },
      { spaceId },
    );
    if (page.items.length > 0 || page.next === null || request === MAX_REQUESTS) return page;
    after = page.next;
  }
}
