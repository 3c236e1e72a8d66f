import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { addStyle } from '../styles/add-style.ts';
import css from '../styles/dialog.css?inline';
import { CLOSE_ICON, IconButton } from './icon.tsx';
import { useStrings } from './strings-context.ts';

addStyle(css);

/** A modal dialog. The browser traps and restores the focus, and closes the dialog on Escape. */
export function Dialog(props: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const { title, onClose, children } = props;
  const strings = useStrings();
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    // Removing a dialog that is still open would lose the focus.
    return () => current?.close();
  }, []);
  return (
    // The target of a click on the backdrop is the dialog itself.
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby="dialog-title"
      onClose={onClose}
      onKeyDown={(event) => event.key === 'Escape' && event.stopPropagation()}
      onClick={(event) => event.target === event.currentTarget && dialog.current?.close()}
    >
      <div class="box">
        <header>
          <h2 id="dialog-title" dir="auto">
            {title}
          </h2>
          <IconButton
            shape={CLOSE_ICON}
            label={strings.close}
            onPress={() => dialog.current?.close()}
          />
        </header>
        <div class="content">{children}</div>
      </div>
    </dialog>
  );
}
