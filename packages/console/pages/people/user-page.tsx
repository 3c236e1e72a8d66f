import type { ResetLink, User, UserChange } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { client, session } from '../../app/client.ts';
import { useLoaded } from '../../app/loading.ts';
import { userPath, usersPath } from '../../app/paths.ts';
import { useNoSpace } from '../../app/space.ts';
import { Code } from '../../components/code.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { LoadingNote } from '../../components/loading-note.tsx';
import { PageProblem } from '../../components/problem-note.tsx';
import { Time } from '../../components/times/time.tsx';
import { t } from '../../translations/translate.ts';
import { SessionTable } from './session-table.tsx';
import { UserBadges } from './user-badges.tsx';

type Question = 'reset' | 'deactivate' | 'activate' | 'promote' | 'demote' | 'end';

/** One user, for administrators: the sessions, the password and the rights. */
export function UserPage() {
  const { userId = '' } = useRoute().params;
  useNoSpace();
  const { after } = useLocation().query;
  const [question, setQuestion] = useState<Question | null>(null);
  const [link, setLink] = useState<ResetLink | null>(null);
  const { data: user, problem, reload } = useLoaded(userId, () => client.users.get(userId));
  const sessions = useLoaded(`sessions ${userId} ${after}`, () =>
    client.users.listSessions(userId, after === undefined ? {} : { after }),
  );
  if (problem !== null) return <PageProblem problem={problem} />;
  if (user === undefined) return <LoadingNote />;
  const perform = async () => {
    if (question === 'reset') setLink(await client.users.createResetLink(userId));
    else if (question === 'end') await client.users.deleteSessions(userId);
    else if (question !== null) await client.users.update(userId, CHANGES[question]);
    reload();
    sessions.reload();
  };
  const isSelf = session.value?.user.id === userId;
  return (
    <>
      <p>
        <a href={usersPath}>{t('Users')}</a>
      </p>
      <h1>
        <bdi>{user.name || user.email}</bdi>
      </h1>
      <dl>
        <dt>{t('Email address')}</dt>
        <dd>
          <bdi>{user.email}</bdi>
        </dd>
        <dt>{t('State')}</dt>
        <dd>
          <UserBadges user={user} />
        </dd>
        <dt>{t('Created')}</dt>
        <dd>
          <Time at={user.createdAt} />
        </dd>
      </dl>
      <div class="actions">
        <button type="button" onClick={() => setQuestion('reset')}>
          {t('Create a reset link')}
        </button>
        {!isSelf && <OtherActions user={user} ask={setQuestion} />}
      </div>
      {link !== null && (
        <div role="status">
          <p>
            {t('Send this link to {person}. It is shown only once. The service sends no email.', {
              person: user.email,
            })}
          </p>
          <Code name={t('Reset link')} text={link.url} />
        </div>
      )}
      <section aria-labelledby="sessions">
        <div class="title">
          <h2 id="sessions">{t('Sessions')}</h2>
          <button type="button" class="danger" onClick={() => setQuestion('end')}>
            {t('End all sessions')}
          </button>
        </div>
        <SessionTable page={sessions} path={userPath(userId)} after={after} />
      </section>
      {question !== null && (
        <Confirm
          title={texts(user)[question].title}
          action={texts(user)[question].action}
          perform={perform}
          onClose={() => setQuestion(null)}
        >
          <p>{texts(user)[question].effect}</p>
        </Confirm>
      )}
    </>
  );
}

const CHANGES = {
  deactivate: { disabled: true },
  activate: { disabled: false },
  promote: { admin: true },
  demote: { admin: false },
} as const satisfies Record<string, UserChange>;

interface OtherActionsProps {
  readonly user: User;
  readonly ask: (question: Question) => void;
}

/** Actions that administrators cannot perform on themselves. */
function OtherActions({ user, ask }: OtherActionsProps) {
  return (
    <>
      <button type="button" onClick={() => ask(user.admin ? 'demote' : 'promote')}>
        {user.admin ? t('Remove the administrator rights') : t('Make an administrator')}
      </button>
      <button
        type="button"
        class={user.disabled ? undefined : 'danger'}
        onClick={() => ask(user.disabled ? 'activate' : 'deactivate')}
      >
        {user.disabled ? t('Activate') : t('Deactivate')}
      </button>
    </>
  );
}

function texts(user: User) {
  const person = user.name || user.email;
  return {
    reset: {
      title: t('Create a reset link for {person}?', { person }),
      action: t('Create'),
      effect: t(
        'Everyone who has the link can set a new password for this user. It replaces earlier reset links.',
      ),
    },
    end: {
      title: t('End all sessions of {person}?', { person }),
      action: t('End all sessions'),
      effect: t('The user is signed out everywhere and must sign in again.'),
    },
    deactivate: {
      title: t('Deactivate {person}?', { person }),
      action: t('Deactivate'),
      effect: t('All sessions of the user end immediately, and the user cannot sign in.'),
    },
    activate: {
      title: t('Activate {person}?', { person }),
      action: t('Activate'),
      effect: t('The user can sign in again, with the same roles as before.'),
    },
    promote: {
      title: t('Make {person} an administrator?', { person }),
      action: t('Make an administrator'),
      effect: t('An administrator may do everything in all spaces and manage all users.'),
    },
    demote: {
      title: t('Remove the administrator rights of {person}?', { person }),
      action: t('Remove'),
      effect: t('The user keeps the roles in spaces.'),
    },
  } as const satisfies Record<Question, Record<'title' | 'action' | 'effect', string>>;
}
