import type { EventSource } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { client } from '../../app/client.ts';
import { useAction } from '../../app/loading.ts';
import { Field, Select } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { NewSecret } from '../../components/secrets/rotate-secret.tsx';
import { t } from '../../translations/translate.ts';
import { type Rules, SourceRules } from './source-rules.tsx';
import '../../styles/forms.css';

export interface NewSourceProps {
  readonly spaceId: string;
  readonly onCreated: () => void;
}

/** The form that registers an event source. */
export function NewSource({ spaceId, onCreated }: NewSourceProps) {
  const [name, setName] = useState('');
  const [source, setSource] = useState('');
  const [match, setMatch] = useState<EventSource['match']>('exact');
  const [rules, setRules] = useState<Rules>({ signatureRequired: true, feedsKnowledge: false });
  const [secret, setSecret] = useState<string | null>(null);
  const create = useAction(async () => {
    const created = await client.eventSources.create(
      { name, source, match, ...rules },
      { spaceId },
    );
    setSecret(created.secret);
    setName('');
    setSource('');
    onCreated();
  });
  return (
    <section aria-labelledby="new-source">
      <h2 id="new-source">{t('New event source')}</h2>
      {secret !== null && <NewSecret secret={secret} />}
      <Form
        class="alone"
        draft={{ name, source, match, rules }}
        action={create}
        submit={t('Create')}
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
        <Field
          label={t('Source')}
          member="source"
          hint={t('The source attribute of its events, such as https://shop.example/orders')}
          required
          maxLength={1000}
          value={source}
          onValue={setSource}
        />
        <Select
          label={t('Match')}
          member="match"
          options={[
            ['exact', t('exactly this source')],
            ['prefix', t('this source and longer ones, such as paths below it')],
          ]}
          value={match}
          onValue={(value) => setMatch(value === 'prefix' ? 'prefix' : 'exact')}
        />
        <SourceRules rules={rules} onRules={setRules} />
      </Form>
    </section>
  );
}
