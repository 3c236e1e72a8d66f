import type { Space } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useAction, useLoaded } from '../../app/loading.ts';
import { type Role, useOwnRole } from '../../app/roles.ts';
import { currentSpace, useSpace } from '../../app/space.ts';
import { Field, Select } from '../../components/field.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { t } from '../../translations/translate.ts';
import { Assistants } from './assistants.tsx';
import { SpaceFilter } from './space-filter.tsx';

/** The settings of a space: its name, its filter, who may read conversations, and its assistants. */
export function SettingsPage() {
  const { spaceId = '' } = useRoute().params;
  const space = useSpace(spaceId);
  const bots = useLoaded(`bots ${spaceId}`, () => client.bots.list({ limit: 100 }, { spaceId }));
  const role = useOwnRole(bots.data?.items[0]?.id);
  const problem = space.problem ?? bots.problem ?? role.problem;
  if (problem !== null) return <ProblemNote problem={problem} />;
  if (space.data === undefined || role.data === undefined || bots.data === undefined)
    return <p class="hint">{t('Loading…')}</p>;
  return (
    <>
      <h1>{t('Settings')}</h1>
      {role.data === 'viewer' && (
        <p class="empty">{t('Only editors and owners can change the settings of a space.')}</p>
      )}
      <General space={space.data} role={role.data} />
      <SpaceFilter space={space.data} isOwner={role.data === 'owner'} />
      <Assistants
        spaceId={spaceId}
        bots={bots.data.items}
        role={role.data}
        onChange={bots.reload}
      />
    </>
  );
}

interface GeneralProps {
  readonly space: Space;
  readonly role: Role;
}

function General({ space, role }: GeneralProps) {
  const [name, setName] = useState(space.name);
  const [access, setAccess] = useState<string>(space.conversationAccess);
  const [events, setEvents] = useState(space.conversationEvents);
  const [isSaved, setSaved] = useState(false);
  const chosen = (['owners', 'editors', 'nobody'] as const).find((one) => one === access);
  const save = useAction(async () => {
    setSaved(false);
    currentSpace.value = await client.spaces.update(space.id, {
      name,
      ...(role === 'owner' && chosen !== undefined ? { conversationAccess: chosen } : {}),
      ...(role === 'owner' ? { conversationEvents: events } : {}),
    });
    setSaved(true);
  });
  if (role === 'viewer') return null;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save.run();
      }}
    >
      <Field label={t('Name')} required maxLength={200} value={name} onValue={setName} />
      {role === 'owner' && (
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
      {role === 'owner' && (
        <label class="check">
          <input
            type="checkbox"
            checked={events}
            onChange={({ currentTarget }) => setEvents(currentTarget.checked)}
          />{' '}
          {t('Report conversations as events (IDs only, no text)')}
        </label>
      )}
      {save.problem && <ProblemNote problem={save.problem} />}
      <div class="actions">
        <button type="submit" class="main" disabled={save.isRunning}>
          {t('Save')}
        </button>
        <span class="hint" role="status">
          {isSaved && t('Saved')}
        </span>
      </div>
    </form>
  );
}
