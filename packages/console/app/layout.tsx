import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { LanguageChoice } from '../components/language-choice.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { t } from '../translations/translate.ts';
import { type Session, signOut } from './client.ts';
import { connection, isOutdated, reloads } from './connection.ts';
import { LeaveQuestion, targetOf } from './forms/leave-question.tsx';
import { askToLeave, hasUnsaved } from './forms/unsaved.ts';
import { keepFocus } from './keep-focus.ts';
import { useAction } from './loading.ts';
import { Navigation } from './navigation.tsx';
import { ACCOUNT, ROOT } from './paths.ts';
import { currentSpace } from './space.ts';

export interface LayoutProps {
  readonly user: Session['user'];
  readonly children: ComponentChildren;
}

/** The header, the navigation of the current space, and the page. */
export function Layout({ user, children }: LayoutProps) {
  const leaving = useAction(signOut);
  const { path, query } = useLocation();
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  // Screen readers and the keyboard continue at the new page. The first page keeps the focus of the browser.
  useEffect(() => {
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [path, query['after']]);
  useEffect(() => (main.current === null ? undefined : keepFocus(main.current)), []);
  useTitle(main);
  useEffect(() => {
    document.addEventListener('click', onClick);
    return () => document.removeEventListener('click', onClick);
  }, []);
  return (
    <>
      <a class="skip" href="#main">
        {t('Skip to the content')}
      </a>
      <header class="top">
        <a class="brand" href={ROOT}>
          Gatehouse
        </a>
        <SpaceName />
        <a class="out" href="/docs/" rel="external">
          {t('Documentation')}
        </a>
        <LanguageChoice />
        <a class="who" href={ACCOUNT} aria-current={path === ACCOUNT ? 'page' : undefined}>
          <span class="visually-hidden">{t('Your account:')} </span>
          {user.name || user.email}
        </a>
        <button
          type="button"
          class="plain"
          aria-disabled={leaving.isRunning}
          onClick={() => askToLeave(() => void leaving.run())}
        >
          {t('Sign out')}
        </button>
      </header>
      <ConnectionNote />
      <Keyboard />
      <LeaveQuestion />
      <div class="body">
        <Navigation path={path} />
        <main id="main" ref={main} tabIndex={-1}>
          {leaving.problem && <ProblemNote problem={leaving.problem} />}
          {children}
        </main>
      </div>
    </>
  );
}

/** Loads the data of the page again if a link leads to it. The router, which listens at the window, would add an entry to the history. */
function onClick(event: MouseEvent): void {
  const target = targetOf(event);
  if (
    target?.hash !== '' ||
    target.pathname + target.search !== location.pathname + location.search
  )
    return;
  event.preventDefault();
  event.stopPropagation();
  if (!hasUnsaved()) reloads.value++;
}

/** Names the tab and the entry in the history of the browser after the heading of the page and the space. */
function useTitle(main: RefObject<HTMLElement | null>): void {
  const space = currentSpace.value?.name;
  useEffect(() => {
    if (main.current === null) return;
    const show = () => {
      const heading = main.current?.querySelector('h1')?.textContent;
      document.title = [heading, space, 'Gatehouse'].filter(Boolean).join(' · ');
    };
    show();
    const observer = new MutationObserver(show);
    observer.observe(main.current, { childList: true, subtree: true, characterData: true });
    return () => observer.disconnect();
  }, [space]);
}

function SpaceName() {
  const space = currentSpace.value;
  return space === null ? (
    <span class="grow" />
  ) : (
    <span class="grow where" dir="auto">
      {space.name}
    </span>
  );
}

/** Says that the connection is lost, that it is back, and that the page may be out of date. Screen readers announce it. */
function ConnectionNote() {
  const isOld = connection.value === 'ok' && isOutdated.value;
  const state = isOld ? 'lost' : connection.value;
  return (
    <div class={state === 'ok' ? undefined : `connection ${state}`} role="status">
      {isOld && t('The service could not load the data again. The page may be out of date.')}
      {state === 'lost' &&
        !isOld &&
        t('The connection is lost. The console tries to connect again.')}
      {state === 'back' && t('The connection is back. The data was loaded again.')}
    </div>
  );
}

/** Handles the keys of all pages: `/` focuses the search field, `?` shows the help. */
function Keyboard() {
  const help = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isBusy(event.target)) return;
      if (event.key === '?') help.current?.showModal();
      else if (event.key === '/') focusSearch();
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <dialog ref={help} aria-labelledby="keyboard">
      <h2 id="keyboard">{t('Keyboard')}</h2>
      <dl>
        <dt>
          <kbd>/</kbd>
        </dt>
        <dd>{t('Go to the search field of the page')}</dd>
        <dt>
          <kbd>?</kbd>
        </dt>
        <dd>{t('Show this help')}</dd>
        <dt>
          <kbd>Esc</kbd>
        </dt>
        <dd>{t('Close a dialog or the menu')}</dd>
      </dl>
      <div class="actions">
        <button type="button" onClick={() => help.current?.close()}>
          {t('Close')}
        </button>
      </div>
    </dialog>
  );
}

/** Reports whether the user is typing, or a dialog is open. */
function isBusy(target: EventTarget | null): boolean {
  if (document.querySelector('dialog[open]') !== null) return true;
  return target instanceof Element && target.closest('input, select, textarea') !== null;
}

/** Focuses the search field of the page, or else the first field of its filters. */
function focusSearch(): void {
  const field =
    document.querySelector<HTMLInputElement>('main input[type="search"]') ??
    document.querySelector<HTMLInputElement>('main search input, main search select');
  field?.focus();
}
