import type { DerivedRecord } from '@gatehouse/client';
import { documentPath, eventsPath, withQuery } from '../../app/paths.ts';
import { Code } from '../../components/code.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { ExactTime } from '../../components/times/exact-time.tsx';
import { t } from '../../translations/translate.ts';

export interface RecordViewProps {
  readonly spaceId: string;
  readonly record: DerivedRecord;
}

/** One record: its text, its metadata, and each value with the event that set it. */
export function RecordView({ spaceId, record }: RecordViewProps) {
  const { key, title, text, fields, metadata, documentId } = record;
  return (
    <details class="card">
      <summary>
        <bdi>{title}</bdi>{' '}
        <span class="hint">
          <bdi>{key}</bdi>
        </span>
      </summary>
      <div class="stack">
        <p class="answer" dir="auto">
          {text}
        </p>
        {Object.keys(fields).length > 0 && (
          <SimpleTable
            caption={t('Values of {name}', { name: title })}
            columns={[t('Field'), t('Value'), t('Event'), t('Time of the event')]}
            rows={Object.entries(fields).map(([name, { value, event }]) => [
              <code>{name}</code>,
              <bdi>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>,
              <a href={withQuery(eventsPath(spaceId), { type: event.type, source: event.source })}>
                <bdi>{event.type}</bdi>
              </a>,
              <ExactTime at={event.time} />,
            ])}
          />
        )}
        <Code
          name={t('Metadata of {name}', { name: title })}
          text={JSON.stringify(metadata, null, 2)}
        />
        {documentId !== null && (
          <p>
            <a href={documentPath(spaceId, documentId)}>{t('Document that answers cite')}</a>
          </p>
        )}
      </div>
    </details>
  );
}
