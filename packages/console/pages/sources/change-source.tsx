import type { EventSource } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { client } from '../../app/client.ts';
import { useChanges } from '../../app/forms/changes.ts';
import { useAction } from '../../app/loading.ts';
import { useDialog } from '../../components/dialog.ts';
import { Field } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { t } from '../../translations/translate.ts';
import { SourceRules } from './source-rules.tsx';

export interface ChangeSourceProps {
  readonly source: EventSource;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/** A dialog that changes an event source. */
export function ChangeSource({ source, onChanged, onClose }: ChangeSourceProps) {
  const [name, setName] = useState(source.name);
  const [rules, setRules] = useState({
    signatureRequired: source.signatureRequired,
    feedsKnowledge: source.feedsKnowledge,
  });
  const change = useChanges({ name, ...rules }, async (changes) => {
    await client.eventSources.update(source.id, changes, { spaceId: source.spaceId });
    onChanged();
  });
  const save = useAction(async () => {
    await change();
    onClose();
  });
  const { dialog, closeButton } = useDialog(save, onClose);
  return (
    <dialog {...dialog} aria-labelledby="change-title">
      <h2 id="change-title">{t('Change the event source')}</h2>
      <p class="hint">
        <bdi>{source.source}</bdi>{' '}
        {t('The source attribute cannot be changed. Register another event source instead.')}
      </p>
      <Form
        draft={{ name, rules }}
        action={save}
        submit={t('Save')}
        more={<button {...closeButton}>{t('Cancel')}</button>}
      >
        <Field
          label={t('Name')}
          member="name"
          hint={t('The system that sends the events')}
          required
          maxLength={200}
          value={name}
          onValue={setName}
        />
        <SourceRules rules={rules} onRules={setRules} />
      </Form>
    </dialog>
  );
}
