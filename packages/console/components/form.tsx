import type { ComponentChildren } from 'preact';
import type { Action } from '../app/loading.ts';
import { ProblemNote } from './problem-note.tsx';

export interface FormProps {
  /** The action that the form starts. */
  readonly action: Action<[]>;
  /** Text of the button. */
  readonly submit: string;
  readonly children: ComponentChildren;
  /** Disables the button, for example while a field is invalid. */
  readonly isBlocked?: boolean;
  /** Text beside the button, such as "Saved". Screen readers announce it. */
  readonly note?: ComponentChildren;
  /** Shown below the buttons, such as the result of the action. */
  readonly result?: ComponentChildren;
  /** Buttons after the main button. */
  readonly more?: ComponentChildren;
  /** `row`: the fields and the button are in one line. Other classes limit the width. */
  readonly class?: 'row' | 'alone' | 'limited' | 'answer-form';
}

/** A form with one main button. Shows the problem of its action. */
export function Form({
  action,
  submit,
  children,
  isBlocked = false,
  note,
  more,
  result,
  ...layout
}: FormProps) {
  const { problem, isRunning } = action;
  const button = (
    <button type="submit" class="main" disabled={isBlocked} aria-disabled={isRunning}>
      {submit}
    </button>
  );
  const form = (content: ComponentChildren) => (
    <form
      {...layout}
      onSubmit={(event) => {
        event.preventDefault();
        void action.run();
      }}
    >
      {content}
    </form>
  );
  const problemNote = problem && <ProblemNote problem={problem} />;
  if (layout.class === 'row')
    return (
      <>
        {form([children, button])}
        {problemNote}
      </>
    );
  return form([
    children,
    problemNote,
    <div class="actions">
      {button}
      {more}
      <span class="hint" role="status">
        {note}
      </span>
    </div>,
    result,
  ]);
}
