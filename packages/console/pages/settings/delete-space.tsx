import type { Space } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { client } from '../../app/client.ts';
import { useNextPage } from '../../app/forms/next-page.ts';
import { ROOT } from '../../app/paths.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Field } from '../../components/field.tsx';
import { t } from '../../translations/translate.ts';

/** Deletes a space after the user has typed its name. */
export function DeleteSpace({ space }: { readonly space: Space }) {
  const openNext = useNextPage();
  const [isAsking, setAsking] = useState(false);
  const [typed, setTyped] = useState('');
  return (
    <section aria-labelledby="delete-space">
      <h2 id="delete-space">{t('Delete the space')}</h2>
      <p class="hint">
        {t('Removes the space with its documents, conversations, events, links and keys.')}
      </p>
      <div>
        <button
          type="button"
          class="danger"
          onClick={() => {
            setTyped('');
            setAsking(true);
          }}
        >
          {t('Delete the space')}
        </button>
      </div>
      {isAsking && (
        <Confirm
          title={t('Delete the space {name}?', { name: space.name })}
          action={t('Delete the space')}
          isBlocked={typed.trim() !== space.name.trim()}
          perform={async () => {
            await client.spaces.delete(space.id);
            openNext(ROOT);
          }}
          onClose={() => setAsking(false)}
        >
          <ul>
            <li>{t('Every link and every widget session ends immediately.')}</li>
            <li>{t('API keys and event sources stop working.')}</li>
            <li>{t('Subscriptions end, and waiting deliveries are discarded.')}</li>
            <li>
              {t('Documents, conversations, events, assistants and their members are deleted.')}
            </li>
          </ul>
          <p>{t('This cannot be undone. Only a backup of the installation contains the data.')}</p>
          <Field
            label={t('Enter the name of the space to confirm')}
            hint={<bdi>{space.name}</bdi>}
            autocomplete="off"
            value={typed}
            onValue={setTyped}
          />
        </Confirm>
      )}
    </section>
  );
}
