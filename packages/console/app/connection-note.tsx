import { t } from '../translations/translate.ts';
import { connection } from './connection.ts';

/** Says that the connection is lost, and that it is back. Screen readers announce it. */
export function ConnectionNote() {
  const state = connection.value;
  return (
    <div class={state === 'ok' ? undefined : `connection ${state}`} role="status">
      {state === 'lost' && t('The connection is lost. The console tries to connect again.')}
      {state === 'back' && t('The connection is back. The data was loaded again.')}
    </div>
  );
}
