import { t } from '../translations/translate.ts';

/** A note that stands for data until they have arrived. */
export function LoadingNote() {
  return (
    <p class="hint" aria-busy="true">
      {t('Loading…')}
    </p>
  );
}
