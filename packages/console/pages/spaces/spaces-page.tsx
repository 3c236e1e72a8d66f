import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useNextPage } from '../../app/forms/next-page.ts';
import { useAction, useLoaded } from '../../app/loading.ts';
import { ROOT, spacePath } from '../../app/paths.ts';
import { useNoSpace } from '../../app/space.ts';
import { Field } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { List } from '../../components/list.tsx';
import { Time } from '../../components/times/time.tsx';
import { t } from '../../translations/translate.ts';

/** The spaces of the user, and the form for a new one. */
export function SpacesPage() {
  const { query } = useLocation();
  const after = query['after'];
  const page = useLoaded(`spaces ${after}`, () =>
    client.spaces.list(after === undefined ? {} : { after }),
  );
  useNoSpace();
  return (
    <>
      <h1>{t('Spaces')}</h1>
      <List
        caption={t('Spaces')}
        columns={[t('Name'), t('Created'), t('ID')]}
        page={page}
        path={ROOT}
        query={{ after }}
        keyOf={({ id }) => id}
        row={({ id, name, createdAt }) => (
          <>
            <td>
              <a href={spacePath(id)}>{name}</a>
            </td>
            <td>
              <Time at={createdAt} />
            </td>
            <td>
              <div class="id">
                <code>{id}</code>
              </div>
            </td>
          </>
        )}
        empty={
          <>
            <p>
              {t(
                'A space contains documents, links, events and an assistant. Use one space per product or customer: nothing in a space is visible in another one.',
              )}
            </p>
            <p>{t('You have no space yet. Create one, or ask an owner to invite you.')}</p>
          </>
        }
      />
      <NewSpace />
    </>
  );
}

function NewSpace() {
  const openNext = useNextPage();
  const [name, setName] = useState('');
  const create = useAction(async () => {
    const space = await client.spaces.create({ name });
    openNext(spacePath(space.id));
  });
  return (
    <section>
      <h2>{t('New space')}</h2>
      <Form class="row" draft={name} action={create} submit={t('Create')}>
        <Field
          label={t('Name')}
          member="name"
          required
          maxLength={200}
          value={name}
          onValue={setName}
        />
      </Form>
    </section>
  );
}
