import type { Space } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useAction, useLoaded } from '../../app/loading.ts';
import { documentsPath, newLinkPath } from '../../app/paths.ts';
import { mayEdit } from '../../app/rights.ts';
import { currentSpace } from '../../app/space.ts';
import { Code } from '../../components/code.tsx';
import { LoadingNote } from '../../components/loading-note.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { rich, t } from '../../translations/translate.ts';
import { createLink, type Language, sendEvent, setUp } from './snippets.ts';

/** The first steps in a space, with snippets that contain its address and key. */
export function SpacePage() {
  const { spaceId = '' } = useRoute().params;
  const space = currentSpace.value;
  if (space?.id !== spaceId) return <LoadingNote />;
  return (
    <>
      <h1>{space.name}</h1>
      <p class="hint">
        {t('ID')} <code>{space.id}</code>
      </p>
      {mayEdit.value ? (
        <FirstSteps space={space} />
      ) : (
        <p>
          {t(
            'You may read the documents and events of this space. An owner of the space can give you the right to change it.',
          )}
        </p>
      )}
    </>
  );
}

const FIRST_LINK = {
  sub: 'customer-42',
  ttlSeconds: 3600,
  permissionFilter: { audience: { eq: 'customers' } },
};

/** Metadata of a document that the link of the example shows. */
const FIRST_METADATA = 'audience: customers';

function FirstSteps({ space }: { readonly space: Space }) {
  const [language, setLanguage] = useState<Language>('curl');
  const [key, setKey] = useState<string | null>(null);
  const progress = useLoaded(`progress ${space.id}`, async () => {
    const { id: spaceId } = space;
    const lists = [client.documents, client.apiKeys, client.links, client.events];
    const [documents, keys, links, events] = await Promise.all(
      lists.map((resources) =>
        resources.list({ limit: 1 }, { spaceId }).then(({ items }) => items.length > 0),
      ),
    );
    return { documents, keys, links, events };
  });
  const create = useAction(async () => {
    const name = t('First key');
    const scopes = ['links:write', 'events:write', 'knowledge:write', 'read'] as const;
    const created = await client.apiKeys.create(
      { name, scopes: [...scopes] },
      { spaceId: space.id },
    );
    setKey(created.key);
    progress.reload();
  });
  const values = { url: location.origin, spaceId: space.id, key };
  const done = progress.data;
  return (
    <section aria-labelledby="steps">
      <h2 id="steps">{t('First steps')}</h2>
      {progress.problem && <ProblemNote problem={progress.problem} />}
      <fieldset class="tabs" aria-label={t('Language of the snippets')}>
        {(['curl', 'typescript'] as const).map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={language === one}
            onClick={() => setLanguage(one)}
          >
            {one === 'curl' ? 'curl' : 'TypeScript'}
          </button>
        ))}
      </fieldset>
      <ol class="steps">
        <Step title={t('Add documents')} isDone={done?.documents}>
          <p>
            {t('The assistant answers from documents.')}{' '}
            {rich('The link below shows only documents with the metadata {metadata}.', {
              metadata: <code>{FIRST_METADATA}</code>,
            })}{' '}
            <a href={documentsPath(space.id)}>{t('Add documents here')}</a>
          </p>
        </Step>
        <Step title={t('Create an API key')} isDone={done?.keys}>
          <p>{t('Your backend needs a key. It is shown once.')}</p>
          {key === null ? (
            <button
              type="button"
              aria-disabled={create.isRunning}
              onClick={() => void create.run()}
            >
              {done?.keys === true ? t('Create another key') : t('Create a key')}
            </button>
          ) : (
            <p>
              {t('The snippets below contain the new key. Store it now; nobody can read it again.')}
            </p>
          )}
          {create.problem && <ProblemNote problem={create.problem} />}
          <Code name={t('Address and key')} text={setUp(language, values)} />
        </Step>
        <Step title={t('Create a link')} isDone={done?.links}>
          <p>
            {t(
              'A link opens the assistant for one user and shows only the documents that its filter permits.',
            )}{' '}
            <a href={newLinkPath(space.id)}>{t('Create a link here')}</a>
          </p>
          <Code name={t('Create a link')} text={createLink(language, FIRST_LINK)} />
        </Step>
        <Step title={t('Send an event')} isDone={done?.events}>
          <p>
            {t(
              'Events are stored durably and exactly once. The response reports the outcome of each event.',
            )}
          </p>
          <Code name={t('Send an event')} text={sendEvent(language)} />
        </Step>
      </ol>
      <button type="button" class="plain" onClick={progress.reload}>
        {t('Check again')}
      </button>
    </section>
  );
}

interface StepProps {
  readonly title: string;
  readonly isDone: boolean | undefined;
  readonly children: preact.ComponentChildren;
}

function Step({ title, isDone, children }: StepProps) {
  return (
    <li>
      <h3>
        {title} {isDone === true && <span class="badge good">{t('done')}</span>}
      </h3>
      {children}
    </li>
  );
}
