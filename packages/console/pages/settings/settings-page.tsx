import type { Space } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { allItems } from '../../app/all-items.ts';
import { client } from '../../app/client.ts';
import { useChanges } from '../../app/forms/changes.ts';
import { useAction, useLoaded } from '../../app/loading.ts';
import { ownsSpace } from '../../app/rights.ts';
import { refreshSpace, useFreshSpace } from '../../app/space.ts';
import { Field, Select } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { LoadingNote } from '../../components/loading-note.tsx';
import { PageProblem } from '../../components/problem-note.tsx';
import { t } from '../../translations/translate.ts';
import { Assistants } from './assistants.tsx';
import { DeleteSpace } from './delete-space.tsx';
import { EventRetention, SpaceBudget } from './limits.tsx';
import { SpaceFilter } from './space-filter.tsx';

/** The settings of a space: its name, who may read conversations, its filter, its assistants and its limits. */
export function SettingsPage() {
  const { spaceId = '' } = useRoute().params;
  const space = useFreshSpace(spaceId);
  const bots = useLoaded(`bots ${spaceId}`, () =>
    allItems(client.bots.list({ limit: 200 }, { spaceId })),
  );
  const problem = space.problem ?? bots.problem;
  if (problem !== null) return <PageProblem problem={problem} />;
  if (space.data === undefined || bots.data === undefined) return <LoadingNote />;
  return (
    <>
      <h1>{t('Settings')}</h1>
      <General space={space.data} />
      <SpaceFilter space={space.data} isOwner={ownsSpace.value} />
      <Assistants spaceId={spaceId} bots={bots.data.items} onChange={bots.reload} />
      {ownsSpace.value && <SpaceBudget space={space.data} />}
      <EventRetention space={space.data} />
      {ownsSpace.value && <DeleteSpace space={space.data} />}
    </>
  );
}

function General({ space }: { readonly space: Space }) {
  const [name, setName] = useState(space.name);
  const [access, setAccess] = useState<string>(space.conversationAccess);
  const [events, setEvents] = useState(space.conversationEvents);
  const chosen = (['owners', 'editors', 'nobody'] as const).find((one) => one === access);
  const draft = {
    name,
    ...(ownsSpace.value && chosen !== undefined ? { conversationAccess: chosen } : {}),
    ...(ownsSpace.value ? { conversationEvents: events } : {}),
  };
  const save = useAction(
    useChanges(draft, async (changes) => {
      await client.spaces.update(space.id, changes);
      await refreshSpace(space.id);
    }),
  );
  return (
    <Form action={save} submit={t('Save')} draft={draft} done={t('Saved')}>
      <Field
        label={t('Name')}
        member="name"
        required
        maxLength={200}
        value={name}
        onValue={setName}
      />
      {ownsSpace.value && (
        <Select
          label={t('Who may read the conversations of users?')}
          options={[
            ['owners', t('Owners of all assistants of the space')],
            ['editors', t('Editors and owners')],
            ['nobody', t('Nobody, not even administrators')],
          ]}
          value={access}
          onValue={setAccess}
        />
      )}
      {ownsSpace.value && (
        <label class="check">
          <input
            type="checkbox"
            checked={events}
            onChange={({ currentTarget }) => setEvents(currentTarget.checked)}
          />{' '}
          {t('Report conversations as events (IDs only, no text)')}
        </label>
      )}
    </Form>
  );
}
