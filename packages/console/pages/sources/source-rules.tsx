import type { EventSource } from '@gatehouse/client';
import { t } from '../../translations/translate.ts';

export type Rules = Pick<EventSource, 'signatureRequired' | 'feedsKnowledge'>;

export interface SourceRulesProps {
  readonly rules: Rules;
  readonly onRules: (rules: Rules) => void;
}

/** Checkboxes for the requirements and the permissions of the events of a source. */
export function SourceRules({ rules, onRules }: SourceRulesProps) {
  return (
    <>
      <label class="check">
        <input
          type="checkbox"
          checked={rules.signatureRequired}
          onChange={({ currentTarget }) =>
            onRules({ ...rules, signatureRequired: currentTarget.checked })
          }
        />
        {t('Reject events of this source that are not signed')}
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={rules.feedsKnowledge}
          onChange={({ currentTarget }) =>
            onRules({ ...rules, feedsKnowledge: currentTarget.checked })
          }
        />
        {t('Signed events of this source may change documents')}
      </label>
    </>
  );
}
