import { eventPath, withQuery } from '../../app/paths.ts';
import { isShortened } from '../../components/shortened.ts';
import { ExactTime } from '../../components/times/exact-time.tsx';
import { t } from '../../translations/translate.ts';
import type { ListedEvent } from './listed-event.ts';

export const eventColumns = () => [t('Received'), t('Type'), t('Source'), t('Subject'), t('ID')];

/** The cells of an event in a list. The type is a link to the event. */
export function EventCells({
  spaceId,
  event,
}: {
  readonly spaceId: string;
  readonly event: ListedEvent;
}) {
  const { receivedAt: at, source, id } = event;
  return (
    <>
      <td>
        <ExactTime at={at} />
      </td>
      <td class="attribute">
        <a href={withQuery(eventPath(spaceId), { at, source, id })}>
          <bdi>{withEllipsis(event.type)}</bdi>
          <span class="visually-hidden"> {id}</span>
        </a>
      </td>
      <td class="attribute">
        <bdi>{withEllipsis(source)}</bdi>
      </td>
      <td class="attribute">
        {event.subject === null ? '–' : <bdi>{withEllipsis(event.subject)}</bdi>}
      </td>
      <td class="attribute">
        <bdi>{withEllipsis(id)}</bdi>
      </td>
    </>
  );
}

function withEllipsis(text: string): string {
  return isShortened(text) ? `${text}…` : text;
}
