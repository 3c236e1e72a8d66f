import { useLocation } from 'preact-iso';
import {
  eventRatesPath,
  eventsPath,
  liveEventsPath,
  rejectedEventsPath,
  withQuery,
} from '../../app/paths.ts';
import { mayEdit } from '../../app/rights.ts';
import { t } from '../../translations/translate.ts';
import { attributesOf, type EventAttributes } from './event-filter.tsx';
import './events.css';

/** The title of the event pages, and links to them. The filter applies to the stored and to the live events. */
export function EventTabs({ spaceId }: { readonly spaceId: string }) {
  const { path, query } = useLocation();
  const filter: EventAttributes = attributesOf(query);
  const tabs = [
    [t('Stored'), eventsPath(spaceId), filter],
    [t('Live'), liveEventsPath(spaceId), filter],
    ...(mayEdit.value ? [[t('Rejected'), rejectedEventsPath(spaceId), {}] as const] : []),
    [t('Rates'), eventRatesPath(spaceId), {}],
  ] as const;
  return (
    <>
      <h1>{t('Events')}</h1>
      <ul class="page-tabs">
        {tabs.map(([name, target, own]) => (
          <li key={target}>
            <a href={withQuery(target, own)} aria-current={path === target ? 'page' : undefined}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
