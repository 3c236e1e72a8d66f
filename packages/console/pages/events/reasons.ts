import type { EventStats, RejectedEvent } from '@gatehouse/client';
import { t } from '../../translations/translate.ts';

/** A reason why events or requests are rejected. */
export type Reason =
  | RejectedEvent['reason']
  | EventStats['failures'][number]['reason']
  | EventStats['refused'][number]['reason'];

/** Returns the name of a reason in the language of the page. */
export function reasonName(reason: Reason): string {
  const names: Readonly<Record<Reason, string>> = {
    invalid: t('invalid'),
    malformed: t('malformed'),
    unproven: t('not proven'),
    forbidden: t('not permitted'),
    'rate-limited': t('rate limited'),
    overloaded: t('overloaded'),
    unavailable: t('storage unavailable'),
  };
  return names[reason];
}
