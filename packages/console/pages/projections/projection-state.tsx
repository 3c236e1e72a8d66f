import type { Projection } from '@gatehouse/client';
import { formatNumber, t } from '../../translations/translate.ts';

/** The state of a projection, with its progress while it reads the events. */
export function ProjectionState({ projection }: { readonly projection: Projection }) {
  const { state, position, newest, isFull } = projection;
  switch (state) {
    case 'live':
      if (isFull) return <span class="badge warn">{t('limit of records reached')}</span>;
      return position >= newest ? (
        <span class="badge good">{t('up to date')}</span>
      ) : (
        <span class="badge warn">{t('behind')}</span>
      );
    case 'clearing':
      return <span class="badge warn">{t('removing the previous records')}</span>;
    case 'publishing':
      return <span class="badge warn">{t('making the records searchable')}</span>;
    case 'building':
      return (
        <span class="progress">
          <span class="badge warn">{t('reading the events')}</span>
          <progress
            aria-label={t('Progress')}
            max={Math.max(newest, 1)}
            value={Math.min(position, newest)}
          />
          <span class="hint">
            {t('{position} of {newest}', {
              position: formatNumber(position),
              newest: formatNumber(newest),
            })}
          </span>
        </span>
      );
  }
}
