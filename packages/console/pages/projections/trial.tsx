import type { ProjectionTrial } from '@gatehouse/client';
import { plural, t } from '../../translations/translate.ts';
import { RecordView } from './record-view.tsx';

export interface TrialProps {
  readonly spaceId: string;
  readonly trial: ProjectionTrial;
}

/** The records that a definition derives from the last hundred events. Nothing is stored. */
export function Trial({ spaceId, trial: { events, skipped, records } }: TrialProps) {
  return (
    <section aria-labelledby="trial" class="stack">
      <h2 id="trial">{t('Trial')}</h2>
      <p role="status">
        {plural(
          events,
          '{count} of the last hundred events matches.',
          '{count} of the last hundred events match.',
        )}{' '}
        {skipped > 0 &&
          plural(
            skipped,
            '{count} of them has no usable key and is skipped.',
            '{count} of them have no usable key and are skipped.',
          )}{' '}
        {plural(
          records.length,
          'They result in {count} record.',
          'They result in {count} records.',
        )}
      </p>
      {events === 0 && (
        <p class="warning">
          {t('No recent event matches. Compare the types and sources with the list of events.')}
        </p>
      )}
      {records.map((record) => (
        <RecordView key={record.key} spaceId={spaceId} record={record} />
      ))}
    </section>
  );
}
