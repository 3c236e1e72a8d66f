import { eventPath, withQuery } from '../../app/paths.ts';
import { isShortened } from '../../components/shortened.ts';
import { AttributeText } from '../../components/table.tsx';
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
          <AttributeText text={event.type} />
          <span class="visually-hidden"> {id}</span>
        </a>
      </td>
      <td class="attribute">
        <AttributeText text={source} />
      </td>
      <td class="attribute">
        {event.subject === null ? '–' : <AttributeText text={event.subject} />}
      </td>
      <td class="attribute">
        <bdi>{isShortened(id) ? `${id}…` : id}</bdi>
      </td>
    </>
  );
}
