import { useLayoutEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { Confirm } from '../../components/confirm.tsx';
import { t } from '../../translations/translate.ts';
import { ROOT } from '../paths.ts';
import { asked, discardUnsaved, hasUnsaved } from './unsaved.ts';

type Router = ReturnType<typeof useLocation>;

/** The page that the console shows. Null until the first page is shown. */
let router: Router | null = null;

// The router must not see the events, so these listeners are added before those of the router.
addEventListener('click', onClick, true);
addEventListener('popstate', onPop);

function onClick(event: MouseEvent): void {
  const target = targetOf(event);
  if (router === null || target === null || target.pathname === router.path || !hasUnsaved())
    return;
  const { route } = router;
  event.preventDefault();
  ask(event, () => route(target.pathname + target.search));
}

function onPop(event: PopStateEvent): void {
  if (router === null || location.pathname === router.path || !hasUnsaved()) return;
  // Whichever direction the user went in, the chosen page is the previous entry from here.
  history.pushState(null, '', router.url);
  ask(event, () => history.back());
}

function ask(event: Event, leave: () => void): void {
  event.stopImmediatePropagation();
  asked.value = () => {
    discardUnsaved();
    leave();
  };
}

/** Asks before the user goes to another page of the console while edits are unsaved. */
export function LeaveQuestion() {
  const current = useLocation();
  useLayoutEffect(() => {
    router = current;
  }, [current]);
  const leave = asked.value;
  if (leave === null) return null;
  return (
    <Confirm
      key={leave}
      title={t('Leave without saving?')}
      action={t('Leave without saving')}
      cancel={t('Stay on this page')}
      perform={async () => leave()}
      onClose={() => {
        // The dialog of the previous question may report late that it is closed.
        if (asked.peek() === leave) asked.value = null;
      }}
    >
      <p>{t('Your edits on this page will be lost.')}</p>
    </Confirm>
  );
}

/** Returns the page of the console that a click opens in the same tab, or null. */
export function targetOf(event: MouseEvent): URL | null {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.button !== 0)
    return null;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || link.target !== '' || link.hasAttribute('download')) return null;
  const target = new URL(link.href, location.href);
  return target.origin === location.origin && target.pathname.startsWith(ROOT) ? target : null;
}
