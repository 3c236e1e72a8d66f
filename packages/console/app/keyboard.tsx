import { useEffect, useRef } from 'preact/hooks';
import { t } from '../translations/translate.ts';

/** Handles the keys of all pages: `/` focuses the search field, `?` shows the help. */
export function Keyboard() {
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
