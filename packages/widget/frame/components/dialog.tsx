import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { addStyle } from '../styles/add-style.ts';
import css from '../styles/dialog.css?inline';
import { IconButton } from './icon.tsx';
import { SHAPES } from './shapes.ts';
import { useWords } from './strings-context.ts';

addStyle(css);

/** A modal dialog: the browser keeps the focus in it, closes it by Escape and gives the focus back. */
export function Dialog(props: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const { title, onClose, children } = props;
  const words = useWords();
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    // Removing an open dialog would leave the focus nowhere.
    return () => current?.close();
  }, []);
  return (
    // A press beside the dialog's box is one on the dialog itself.
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
            shape={SHAPES.close}
            label={words.close}
            onPress={() => dialog.current?.close()}
          />
        </header>
        <div class="content">{children}</div>
      </div>
    </dialog>
  );
}
