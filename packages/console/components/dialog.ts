import { useEffect, useRef } from 'preact/hooks';

/**
 * Opens a modal dialog when its component appears. The dialog stays open while its action runs, because otherwise nobody would see the
 * result.
 *
 * @returns the attributes of the dialog and of the button that closes it.
 */
export function useDialog(isRunning: boolean, onClose: () => void) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => ref.current?.showModal(), []);
  return {
    // Chromium closes a dialog when Escape is pressed twice, whatever the listeners do.
    dialog: { ref, onClose: () => (isRunning ? ref.current?.showModal() : onClose()) },
    closeButton: {
      type: 'button',
      class: 'plain',
      'aria-disabled': isRunning,
      onClick: () => isRunning || ref.current?.close(),
    },
  } as const;
}
