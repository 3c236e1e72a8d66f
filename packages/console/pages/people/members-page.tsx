import type { Member } from '@gatehouse/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { allItems } from '../../app/all-items.ts';
import { client } from '../../app/client.ts';
import { useAction, useLoaded } from '../../app/loading.ts';
import { membersPath, withQuery } from '../../app/paths.ts';
import { type Role, roleOptions } from '../../app/roles.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Select } from '../../components/field.tsx';
import { List } from '../../components/list.tsx';
import { LoadingNote } from '../../components/loading-note.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { t } from '../../translations/translate.ts';
import { Invitations } from './invitations.tsx';
import { NobodyMatches, PeopleSearch } from './people-search.tsx';

/** The members of a bot of the space, their roles, and the invitations. */
export function MembersPage() {
  const { spaceId = '' } = useRoute().params;
  const { query, route } = useLocation();
  const bots = useLoaded(`bots ${spaceId}`, () =>
    allItems(client.bots.list({ limit: 200 }, { spaceId })),
  );
  const items = bots.data?.items ?? [];
  const bot = items.find(({ id }) => String(id) === query['bot']) ?? items[0];
  return (
    <>
      <h1>{t('People')}</h1>
      <p class="hint">
        {t(
          'A viewer may read the space. An editor may also change it. An owner may also manage its people and delete it.',
        )}
      </p>
      {bots.problem && <ProblemNote problem={bots.problem} />}
      {bots.data === undefined && bots.problem === null && <LoadingNote />}
      {items.length > 1 && (
        <Select
          label={t('Assistant')}
          hint={t('Each assistant of the space has its own members.')}
          options={items.map(({ id, name }) => [String(id), name] as const)}
          value={String(bot?.id)}
          onValue={(id) => route(withQuery(membersPath(spaceId), { bot: id }))}
        />
      )}
      {bot?.role === 'viewer' && (
        <p class="empty">{t('Only editors and owners can see the people of a space.')}</p>
      )}
      {bot !== undefined && bot.role !== 'viewer' && (
        <div class="stack" key={bot.id}>
          <Members spaceId={spaceId} botId={bot.id} isOwner={bot.role === 'owner'} />
          {bot.role === 'owner' && <Invitations spaceId={spaceId} botId={bot.id} />}
        </div>
      )}
    </>
  );
}

interface MembersProps {
  readonly spaceId: string;
  readonly botId: number;
  readonly isOwner: boolean;
}

function Members({ spaceId, botId, isOwner }: MembersProps) {
  const { after, bot, search = '' } = useLocation().query;
  const path = membersPath(spaceId);
  const filter = { ...(search === '' ? {} : { search }), ...(after ? { after } : {}) };
  const [removed, setRemoved] = useState<Member | null>(null);
  const page = useLoaded(`members ${botId} ${JSON.stringify(filter)}`, () =>
    client.members.list(botId, filter),
  );
  return (
    <>
      <PeopleSearch search={search} path={path} query={{ bot }} />
      <List
        caption={t('Members')}
        columns={[t('Name'), t('Email address'), t('Role'), ...(isOwner ? [t('Actions')] : [])]}
        page={page}
        path={path}
        query={{ bot, search, after }}
        keyOf={({ userId }) => userId}
        row={(member) => (
          <>
            <td>
              <bdi>{member.name}</bdi>
            </td>
            <td>
              <bdi>{member.email}</bdi>
            </td>
            <td>
              {isOwner ? (
                <RoleChoice botId={botId} member={member} onChanged={page.reload} />
              ) : (
                roleOptions().find(([role]) => role === member.role)?.[1]
              )}
            </td>
            {isOwner && (
              <td>
                <button type="button" class="small danger" onClick={() => setRemoved(member)}>
                  {t('Remove')} <span class="visually-hidden">{member.name || member.email}</span>
                </button>
              </td>
            )}
          </>
        )}
        empty={
          search === '' ? (
            <p>{t('Nobody has a role here yet. Invite a person below.')}</p>
          ) : (
            <NobodyMatches path={path} query={{ bot }} />
          )
        }
      />
      {removed !== null && (
        <Confirm
          title={t('Remove {person}?', { person: removed.name || removed.email })}
          action={t('Remove')}
          perform={async () => {
            await client.members.delete(botId, removed.userId);
            page.reload();
          }}
          onClose={() => setRemoved(null)}
        >
          <p>
            {t('This person immediately loses access to the space, except through other roles.')}
          </p>
        </Confirm>
      )}
    </>
  );
}

interface RoleChoiceProps {
  readonly botId: number;
  readonly member: Member;
  readonly onChanged: () => void;
}

/** The role of a member. The user may choose again while a change is being saved; the last choice counts. */
function RoleChoice({ botId, member, onChanged }: RoleChoiceProps) {
  const [chosen, setChosen] = useState<Role | null>(null);
  const wanted = useRef(member.role);
  /** The role in the list, or a newer one that this component has saved. */
  const stored = useRef(member.role);
  const change = useAction(async () => {
    try {
      do {
        const role: Role = wanted.current;
        await client.members.put(botId, member.userId, { role });
        stored.current = role;
      } while (stored.current !== wanted.current);
    } catch (error) {
      setChosen(stored.current);
      throw error;
    } finally {
      onChanged();
    }
  });
  // The list has been loaded again.
  useEffect(() => {
    if (change.isRunning) return;
    stored.current = member.role;
    setChosen(null);
  }, [member]);
  return (
    <>
      <select
        aria-label={t('Role of {person}', { person: member.name || member.email })}
        value={chosen ?? member.role}
        onChange={({ currentTarget }) => {
          const role = roleOptions().find(([one]) => one === currentTarget.value)?.[0];
          if (role === undefined) return;
          wanted.current = role;
          setChosen(role);
          void change.run();
        }}
      >
        {roleOptions().map(([role, name]) => (
          <option key={role} value={role}>
            {name}
          </option>
        ))}
      </select>
      {change.problem && <ProblemNote problem={change.problem} />}
    </>
  );
}
