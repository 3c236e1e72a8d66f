import type { SessionPage } from '@gatehouse/client';
import type { ComponentChildren } from 'preact';
import type { Loaded } from '../../app/loading.ts';
import { List } from '../../components/list.tsx';
import { Time } from '../../components/times/time.tsx';
import { t } from '../../translations/translate.ts';

type Session = SessionPage['items'][number];

export interface SessionTableProps {
  readonly page: Loaded<SessionPage>;
  readonly path: string;
  readonly after: string | undefined;
  /** Actions on a session. Undefined: the table has no such column. */
  readonly actions?: (session: Session) => ComponentChildren;
}

/** The sessions of a user. */
export function SessionTable({ page, path, after, actions }: SessionTableProps) {
  return (
    <List
      caption={t('Sessions')}
      columns={[
        t('Signed in'),
        t('Last used'),
        t('Expires'),
        t('Address'),
        t('Browser'),
        ...(actions === undefined ? [] : [t('Actions')]),
      ]}
      page={page}
      path={path}
      query={{ after }}
      keyOf={({ id }) => id}
      row={(session) => (
        <>
          <td>
            <Time at={session.createdAt} />{' '}
            {session.current && <span class="badge good">{t('this session')}</span>}
          </td>
          <td>
            <Time at={session.lastUsedAt} />
          </td>
          <td>
            <Time at={session.expiresAt} />
          </td>
          <td>
            <bdi>{session.address ?? '–'}</bdi>
          </td>
          <td>
            <bdi class="hint">{session.userAgent ?? '–'}</bdi>
          </td>
          {actions !== undefined && <td>{actions(session)}</td>}
        </>
      )}
      empty={<p>{t('This user is not signed in anywhere.')}</p>}
    />
  );
}
