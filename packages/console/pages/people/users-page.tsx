import { useLocation } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useLoaded } from '../../app/loading.ts';
import { userPath, usersPath } from '../../app/paths.ts';
import { useNoSpace } from '../../app/space.ts';
import { List } from '../../components/list.tsx';
import { Time } from '../../components/times/time.tsx';
import { t } from '../../translations/translate.ts';
import { NobodyMatches, PeopleSearch } from './people-search.tsx';
import { UserBadges } from './user-badges.tsx';

/** The users of the installation, for administrators. */
export function UsersPage() {
  useNoSpace();
  const { after, search = '' } = useLocation().query;
  const filter = { ...(search === '' ? {} : { search }), ...(after ? { after } : {}) };
  const page = useLoaded(`users ${JSON.stringify(filter)}`, () => client.users.list(filter));
  return (
    <>
      <h1>{t('Users')}</h1>
      <p class="hint">
        {t(
          'All users of the installation. New users come through invitations of owners or through single sign-on.',
        )}
      </p>
      <PeopleSearch search={search} path={usersPath} />
      <List
        caption={t('Users')}
        columns={[t('Name'), t('Email address'), t('State'), t('Created')]}
        page={page}
        path={usersPath}
        query={{ search, after }}
        keyOf={({ id }) => id}
        row={(user) => (
          <>
            <td>
              <a href={userPath(user.id)}>
                <bdi>{user.name || user.email}</bdi>
              </a>
            </td>
            <td>
              <bdi>{user.email}</bdi>
            </td>
            <td>
              <UserBadges user={user} />
            </td>
            <td>
              <Time at={user.createdAt} />
            </td>
          </>
        )}
        empty={<NobodyMatches path={usersPath} />}
      />
    </>
  );
}
