import type { EventSource } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { client } from '../../app/client.ts';
import { useAction } from '../../app/loading.ts';
import { Field, Select } from '../../components/field.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { NewSecret } from '../../components/rotate-secret.tsx';
import { t } from '../../translations/translate.ts';
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
  const [signatureRequired, setRequired] = useState(true);
  const [feedsKnowledge, setFeeds] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const create = useAction(async () => {
    const created = await client.eventSources.create(
      { name, source, match, signatureRequired, feedsKnowledge },
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
      <form
        class="alone"
        onSubmit={(event) => {
          event.preventDefault();
          void create.run();
        }}
      >
        <Field
          label={t('Name')}
          hint={t('The system that sends the events')}
          required
          maxLength={200}
          value={name}
          onValue={setName}
        />
        <Field
          label={t('Source')}
          hint={t('The source attribute of its events, such as https://shop.example/orders')}
          required
          maxLength={1000}
          value={source}
          onValue={setSource}
        />
        <Select
          label={t('Match')}
          options={[
            ['exact', t('exactly this source')],
            ['prefix', t('this source and longer ones, such as paths below it')],
          ]}
          value={match}
          onValue={(value) => setMatch(value === 'prefix' ? 'prefix' : 'exact')}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={signatureRequired}
            onChange={({ currentTarget }) => setRequired(currentTarget.checked)}
          />
          {t('Reject events of this source that are not signed')}
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={feedsKnowledge}
            onChange={({ currentTarget }) => setFeeds(currentTarget.checked)}
          />
          {t('Signed events of this source may change documents')}
        </label>
        {create.problem && <ProblemNote problem={create.problem} />}
        <button type="submit" class="main" disabled={create.isRunning}>
          {t('Create')}
        </button>
      </form>
    </section>
  );
}
