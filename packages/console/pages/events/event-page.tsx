import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { useLoaded } from '../../app/loading.ts';
import { eventsPath, withQuery } from '../../app/paths.ts';
import { LoadingNote } from '../../components/loading-note.tsx';
import { LongCode } from '../../components/long-code.tsx';
import { PageProblem } from '../../components/problem-note.tsx';
import { shortened } from '../../components/shortened.ts';
import { ExactTime } from '../../components/times/exact-time.tsx';
import { t } from '../../translations/translate.ts';
import { type ReceivedEvent, readEvent } from './read-event.ts';

/** One event, exactly as it was received. */
export function EventPage() {
  const { spaceId = '' } = useRoute().params;
  const { at = '', source = '', id = '' } = useLocation().query;
  const key = JSON.stringify([spaceId, at, source, id]);
  const { data, problem } = useLoaded(key, () => readEvent(spaceId, { at, source, id }));
  return (
    <>
      <p>
        <a href={eventsPath(spaceId)}>{t('Events')}</a>
      </p>
      {problem !== null && <PageProblem problem={problem} />}
      {problem === null && data === undefined && <LoadingNote />}
      {data === null && (
        <>
          <h1>{t('Event not found')}</h1>
          <p>
            {t('The space does not store this event. Retention or an erasure may have removed it.')}
          </p>
        </>
      )}
      {data && <Received spaceId={spaceId} received={data} />}
    </>
  );
}

interface ReceivedProps {
  readonly spaceId: string;
  readonly received: ReceivedEvent;
}

function Received({ spaceId, received: { event, receivedAt, text } }: ReceivedProps) {
  const [isFormatted, setFormatted] = useState(true);
  const { id, type, source, subject, time } = event;
  const same = (name: string, value: string) => (
    <a href={withQuery(eventsPath(spaceId), { [name]: value })}>
      <bdi>{shortened(value)}</bdi>
    </a>
  );
  return (
    <>
      <h1>
        <bdi>{shortened(type)}</bdi>
      </h1>
      <dl>
        <dt>{t('Received')}</dt>
        <dd>
          <ExactTime at={receivedAt} />
        </dd>
        <dt>{t('ID')}</dt>
        <dd>
          <bdi>{shortened(id)}</bdi>
        </dd>
        <dt>{t('Type')}</dt>
        <dd>{same('type', type)}</dd>
        <dt>{t('Source')}</dt>
        <dd>{same('source', source)}</dd>
        {subject !== undefined && (
          <>
            <dt>{t('Subject')}</dt>
            <dd>{same('subject', subject)}</dd>
          </>
        )}
        {time !== undefined && (
          <>
            <dt>{t('Time of the event')}</dt>
            <dd>
              <bdi>{shortened(String(time))}</bdi>
            </dd>
          </>
        )}
      </dl>
      <fieldset class="tabs" aria-label={t('View of the event')}>
        <button type="button" aria-pressed={isFormatted} onClick={() => setFormatted(true)}>
          {t('Formatted')}
        </button>
        <button type="button" aria-pressed={!isFormatted} onClick={() => setFormatted(false)}>
          {t('Exactly as received')}
        </button>
      </fieldset>
      <LongCode
        key={String(isFormatted)}
        name={isFormatted ? t('Formatted event') : t('Event exactly as received')}
        text={isFormatted ? JSON.stringify(event, null, 2) : text}
      />
    </>
  );
}
