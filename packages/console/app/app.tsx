import { useEffect, useRef } from 'preact/hooks';
import { LocationProvider, Route, Router, useLocation } from 'preact-iso';
import { LoadingNote } from '../components/loading-note.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { readFragment } from '../pages/sign-in/fragment.ts';
import { OneTimeLinkPage } from '../pages/sign-in/one-time-link-page.tsx';
import { SignInPage } from '../pages/sign-in/sign-in-page.tsx';
import { t } from '../translations/translate.ts';
import { endedUser, loadSession, session } from './client.ts';
import { Layout } from './layout.tsx';
import { useAction } from './loading.ts';
import { ROOT } from './paths.ts';
import { ROUTES } from './routes.tsx';
import { useOptionalSpace } from './space.ts';

/** The tokens in the address. They are removed from the address before the first page is shown. */
export const fragment = readFragment();

const SPACE_PATH = /\/spaces\/([^/]+)\//;

export interface AppProps {
  /** The first request for the session, which was sent before the page was rendered. */
  readonly opening: Promise<void>;
}

export function App({ opening }: AppProps) {
  const first = useRef<Promise<void> | null>(opening);
  const loading = useAction(() => {
    const session = first.current ?? loadSession();
    first.current = null;
    return session;
  });
  useEffect(() => {
    void loading.run();
  }, []);
  if (loading.problem !== null)
    return (
      <main class="narrow">
        <ProblemNote problem={loading.problem} />
        <button type="button" onClick={() => void loading.run()}>
          {t('Try again')}
        </button>
      </main>
    );
  if (session.value === undefined)
    return (
      <main class="narrow">
        <LoadingNote />
      </main>
    );
  if (fragment.value !== null) return <OneTimeLinkPage fragment={fragment} />;
  const user = session.value?.user ?? endedUser.value;
  if (user === null) return <SignInPage />;
  return (
    <>
      {session.value === null && <SignInAgain />}
      <div key={user.id} hidden={session.value === null} inert={session.value === null}>
        <LocationProvider scope={ROOT}>
          <Layout user={user}>
            <Router>
              {ROUTES.map(([path, page]) => (
                <Route key={path} path={path} component={page} />
              ))}
              <Route default component={NotFoundPage} />
            </Router>
          </Layout>
        </LocationProvider>
      </div>
    </>
  );
}

/** Covers the page of a user whose session has ended. After the next sign-in, the page continues with what the user has typed. */
function SignInAgain() {
  const dialog = useRef<HTMLDialogElement>(null);
  const focused = useRef(document.activeElement);
  useEffect(() => {
    // A modal dialog is above dialogs of the page, which may be open.
    dialog.current?.showModal();
    return () =>
      setTimeout(() => {
        if (focused.current instanceof HTMLElement) focused.current.focus();
      });
  }, []);
  return (
    <dialog
      ref={dialog}
      class="whole"
      aria-label={t('Sign in to Gatehouse')}
      onCancel={(event) => event.preventDefault()}
      onClose={() => dialog.current?.showModal()}
    >
      <p class="warning" role="status">
        {t('Your session has ended. Sign in again to continue on this page.')}
      </p>
      <SignInPage />
    </dialog>
  );
}

function NotFoundPage() {
  const { path } = useLocation();
  // The navigation of the space stays.
  useOptionalSpace(SPACE_PATH.exec(path)?.[1]);
  return (
    <>
      <h1>{t('Page not found')}</h1>
      <p>
        {t('The console has no page with this address.')}{' '}
        <a href={ROOT}>{t('Go to your spaces')}</a>
      </p>
    </>
  );
}
