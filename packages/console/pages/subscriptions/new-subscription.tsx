import { useState } from 'preact/hooks';
import { client } from '../../app/client.ts';
import { useAction } from '../../app/loading.ts';
import { Field } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { toOptionalPatterns } from '../../components/patterns.ts';
import { NewSecret } from '../../components/secrets/rotate-secret.tsx';
import { t } from '../../translations/translate.ts';
import '../../styles/forms.css';

export interface NewSubscriptionProps {
  readonly spaceId: string;
  readonly onCreated: () => void;
}

/** The form that creates a subscription. */
export function NewSubscription({ spaceId, onCreated }: NewSubscriptionProps) {
  const [url, setUrl] = useState('');
  const [types, setTypes] = useState('');
  const [sources, setSources] = useState('');
  const [secret, setSecret] = useState<string | null>(null);
  const create = useAction(async () => {
    const created = await client.subscriptions.create(
      { url, types: toOptionalPatterns(types), sources: toOptionalPatterns(sources) },
      { spaceId },
    );
    setSecret(created.secret);
    setUrl('');
    setTypes('');
    setSources('');
    onCreated();
  });
  const hint = t('Separate several values with spaces. A trailing asterisk matches a prefix.');
  return (
    <section aria-labelledby="new-subscription">
      <h2 id="new-subscription">{t('New subscription')}</h2>
      {secret !== null && (
        <>
          <p>{t('Your target verifies the signature of each event with this secret.')}</p>
          <NewSecret secret={secret} />
        </>
      )}
      <Form class="alone" draft={{ url, types, sources }} action={create} submit={t('Create')}>
        <Field
          label={t('URL')}
          member="url"
          hint={t('Receives each event with POST. It must have a public address.')}
          required
          maxLength={2000}
          value={url}
          onValue={setUrl}
        />
        <Field
          label={t('Types (empty: all)')}
          member="types"
          hint={hint}
          value={types}
          onValue={setTypes}
        />
        <Field
          label={t('Sources (empty: all)')}
          member="sources"
          hint={hint}
          value={sources}
          onValue={setSources}
        />
      </Form>
    </section>
  );
}
