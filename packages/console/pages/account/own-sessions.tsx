import { useLocation } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useAction, useLoaded } from '../../app/loading.ts';
import { ACCOUNT } from '../../app/paths.ts';
import { ProblemNote } from '../../components/problem-note.tsx';
import { t } from '../../translations/translate.ts';
import { SessionTable } from '../people/session-table.tsx';

/** The sessions of the signed-in user. */
export function OwnSessions() {
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
    <section aria-labelledby="sessions">
      <div class="title">
        <h2 id="sessions">{t('Sessions')}</h2>
        <button
          type="button"
          aria-disabled={endOthers.isRunning}
          onClick={() => void endOthers.run()}
        >
          {t('End all other sessions')}
        </button>
      </div>
      {problem && <ProblemNote problem={problem} />}
      <SessionTable
        page={page}
        path={ACCOUNT}
        after={after}
        actions={({ id, current }) =>
          !current && (
            <button
              type="button"
              class="small danger"
              aria-disabled={end.isRunning}
              onClick={() => void end.run(id)}
            >
              {t('End')}
            </button>
          )
        }
      />
    </section>
  );
}
