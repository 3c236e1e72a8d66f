import type { ComponentChildren } from 'preact';
import { useEdits } from '../app/forms/edits.ts';
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
  /** The values of the fields as JSON. If omitted, edits are lost without a question when the user leaves the form. */
  readonly draft?: unknown;
  /** Text beside the button after the action has succeeded, until the next edit. Needs `draft`. Screen readers announce it. */
  readonly done?: string;
  /** Text beside the button at other times. */
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
  draft,
  done,
  note,
  more,
  result,
  ...layout
}: FormProps) {
  const { problem, isRunning, isDone } = action;
  const { isEdited, onSubmit, onInput } = useEdits(draft, isDone);
  const button = (
    <button type="submit" class="main" disabled={isBlocked} aria-disabled={isRunning}>
      {submit}
    </button>
  );
  const form = (content: ComponentChildren) => (
    <form
      {...layout}
      onInput={onInput}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
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
        {isDone && !isEdited && done !== undefined ? done : note}
      </span>
    </div>,
    result,
  ]);
}
