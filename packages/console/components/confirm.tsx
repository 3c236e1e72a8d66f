import type { ComponentChildren } from 'preact';
import { useEffect, useId } from 'preact/hooks';
import { submits } from '../app/forms/submits.ts';
import { useAction } from '../app/loading.ts';
import { t } from '../translations/translate.ts';
import { useDialog } from './dialog.ts';
import { ProblemNote } from './problem-note.tsx';

export interface ConfirmProps {
  readonly title: string;
  /** The consequences of the action. A text becomes a paragraph. */
  readonly children: ComponentChildren;
  /** Text of the button that performs the action. */
  readonly action: string;
  /** Text of the button that closes the dialog. Default: "Cancel". */
  readonly cancel?: string;
  readonly perform: () => Promise<void>;
  /** Disables the button that performs the action. */
  readonly isBlocked?: boolean;
  readonly onClose: () => void;
}

/** Asks before a destructive action. */
export function Confirm({
  title,
  children,
  action,
  cancel = t('Cancel'),
  perform,
  isBlocked = false,
  onClose,
}: ConfirmProps) {
  const id = useId();
  const performing = useAction(async () => {
    await perform();
    close();
  });
  const { dialog, closeButton, close } = useDialog(performing, onClose);
  useEffect(() => () => void setTimeout(focusPage), []);
  return (
    <dialog {...dialog} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <form onSubmit={submits(() => void performing.run())}>
        {typeof children === 'string' ? <p>{children}</p> : children}
        {performing.problem && <ProblemNote problem={performing.problem} />}
        <div class="actions">
          <button
            type="submit"
            class="danger"
            disabled={isBlocked}
            aria-disabled={performing.isRunning}
          >
            {action}
          </button>
          <button {...closeButton}>{cancel}</button>
        </div>
      </form>
    </dialog>
  );
}

/** Focuses the page if the action has removed the button that opened the dialog. */
function focusPage(): void {
  if (document.activeElement === document.body) document.querySelector('main')?.focus();
}
