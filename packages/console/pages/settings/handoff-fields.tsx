import type { Bot } from '@gatehouse/client';
import { Field, TextArea } from '../../components/field.tsx';
import { t } from '../../translations/translate.ts';

type Settings = NonNullable<Bot['handoff']>;
type Period = NonNullable<Settings['openingHours']>['periods'][number];

/** The settings of a handoff as a form shows them. */
export interface HandoffDraft {
  readonly isOn: boolean;
  readonly timeZone: string;
  /** One period per line, such as `monday 09:00-17:00`. Empty: the team always answers. */
  readonly hours: string;
  readonly awayMessage: string;
}

export function toDraft(settings: Bot['handoff']): HandoffDraft {
  const { timeZone, periods } = settings?.openingHours ?? {};
  return {
    isOn: settings !== null,
    timeZone: timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    hours: (periods ?? []).map(({ day, from, to }) => `${day} ${from}-${to}`).join('\n'),
    awayMessage: settings?.awayMessage ?? '',
  };
}

/** Converts a draft. The service reports the problems of a line that is not a period. */
export function toSettings({ isOn, timeZone, hours, awayMessage }: HandoffDraft): Bot['handoff'] {
  if (!isOn) return null;
  const lines = hours.split('\n').filter((line) => line.trim() !== '');
  const periods = lines.map((line) => {
    const [day = '', from = '', to = ''] = line
      .trim()
      .toLowerCase()
      .split(/[\s\u2013-]+/);
    return { day: day as Period['day'], from, to };
  });
  return {
    openingHours: periods.length === 0 ? null : { timeZone, periods },
    awayMessage: awayMessage.trim() === '' ? null : awayMessage,
  };
}

/** The fields of the handoff to people. */
export function HandoffFields(props: {
  readonly draft: HandoffDraft;
  readonly onDraft: (draft: HandoffDraft) => void;
}) {
  const { draft, onDraft } = props;
  return (
    <fieldset>
      <legend>{t('Handoff to people')}</legend>
      <label class="check">
        <input
          type="checkbox"
          checked={draft.isOn}
          onChange={({ currentTarget }) => onDraft({ ...draft, isOn: currentTarget.checked })}
        />{' '}
        {t('Visitors can ask for a person')}
      </label>
      {draft.isOn && (
        <>
          <TextArea
            label={t('Opening hours')}
            member="handoff.openingHours.periods"
            hint={t(
              'One period per line, in English, such as {example}. Empty: the team always answers.',
              { example: 'monday 09:00-17:00' },
            )}
            value={draft.hours}
            onValue={(hours) => onDraft({ ...draft, hours })}
          />
          <Field
            label={t('Time zone of the opening hours')}
            member="handoff.openingHours.timeZone"
            value={draft.timeZone}
            onValue={(timeZone) => onDraft({ ...draft, timeZone })}
          />
          <TextArea
            label={t('Message outside of the opening hours')}
            member="handoff.awayMessage"
            rows={2}
            maxLength={1000}
            value={draft.awayMessage}
            onValue={(awayMessage) => onDraft({ ...draft, awayMessage })}
          />
        </>
      )}
    </fieldset>
  );
}
