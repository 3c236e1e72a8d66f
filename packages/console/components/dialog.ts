import { useEffect, useRef } from 'preact/hooks';
import { reloads } from '../app/connection.ts';
import type { Action } from '../app/loading.ts';

/**
 * Opens a modal dialog when its component appears. The dialog stays open while its action runs, because otherwise nobody would see the
 * result.
 *
 * @returns the attributes of the dialog and of the button that closes it, and a function that closes it when the action has ended.
 */
export function useDialog(
  { isRunning, problem }: Pick<Action<[]>, 'isRunning' | 'problem'>,
  onClose: () => void,
) {
  const ref = useRef<HTMLDialogElement>(null);
  const hasEnded = useRef(false);
  useEffect(() => ref.current?.showModal(), []);
  // Closing gives the focus back, unless the page has removed the dialog.
  const close = () => {
    hasEnded.current = true;
    if (ref.current === null) onClose();
    else ref.current.close();
  };
  return {
    dialog: {
      ref,
      onClose: () => {
        // Chromium closes a dialog when Escape is pressed twice, whatever the listeners do.
        if (isRunning && !hasEnded.current) return ref.current?.showModal();
        // The page may show data that somebody else has changed or deleted.
        if (problem !== null) reloads.value++;
        onClose();
      },
    },
    closeButton: {
      type: 'button',
      class: 'plain',
      'aria-disabled': isRunning,
      onClick: () => isRunning || close(),
    },
    close,
  } as const;
}
