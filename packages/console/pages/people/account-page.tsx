import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { client, session } from '../../app/client.ts';
import { useAction, useLoaded } from '../../app/loading.ts';
import { accountPath } from '../../app/paths.ts';
import { useNoSpace } from '../../app/space.ts';
import { Field } from '../../components/field.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { t } from '../../translations/translate.ts';
import { SessionTable } from './session-table.tsx';

/** The account of the signed-in user: the sessions and the password. */
export function AccountPage() {
  useNoSpace();
  const { after } = useLocation().query;
  const page = useLoaded(`own sessions ${after}`, () =>
    client.sessions.list(after === undefined ? {} : { after }),
  );
  const end = useAction(async (id: string) => {
    await client.sessions.delete(id);
    page.reload();
  });
  const endOthers = useAction(async () => {
    await client.sessions.deleteOthers();
    page.reload();
  });
  const problem = end.problem ?? endOthers.problem;
  return (
    <>
      <h1>{t('Your account')}</h1>
      <p>
        <bdi>{session.value?.user.email}</bdi>
      </p>
      <section aria-labelledby="sessions">
        <div class="title">
          <h2 id="sessions">{t('Sessions')}</h2>
          <button type="button" disabled={endOthers.isRunning} onClick={() => void endOthers.run()}>
            {t('End all other sessions')}
          </button>
        </div>
        {problem && <ProblemNote problem={problem} />}
        <SessionTable
          page={page}
          path={accountPath}
          after={after}
          actions={({ id, current }) =>
            !current && (
              <button
                type="button"
                class="small danger"
                disabled={end.isRunning}
                onClick={() => void end.run(id)}
              >
                {t('End')}
              </button>
            )
          }
        />
      </section>
      <ChangePassword />
    </>
  );
}

function ChangePassword() {
  const methods = useLoaded('methods', () => client.auth.methods());
  const [currentPassword, setCurrent] = useState('');
  const [newPassword, setNew] = useState('');
  const [isDone, setDone] = useState(false);
  const change = useAction(async () => {
    await client.auth.changePassword({ currentPassword, newPassword });
    setCurrent('');
    setNew('');
    setDone(true);
  });
  if (methods.data?.password !== true) return null;
  return (
    <section aria-labelledby="password">
      <h2 id="password">{t('Password')}</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void change.run();
        }}
      >
        <Field
          label={t('Current password')}
          type="password"
          autocomplete="current-password"
          required
          value={currentPassword}
          onValue={setCurrent}
        />
        <Field
          label={t('New password')}
          type="password"
          autocomplete="new-password"
          hint={t('At least {count} characters', { count: 12 })}
          required
          minLength={12}
          maxLength={128}
          value={newPassword}
          onValue={setNew}
        />
        {change.problem && <ProblemNote problem={change.problem} />}
        <p role="status">
          {isDone && t('The password was changed. All other sessions have ended.')}
        </p>
        <button type="submit" class="main" disabled={change.isRunning}>
          {t('Change the password')}
        </button>
      </form>
    </section>
  );
}
