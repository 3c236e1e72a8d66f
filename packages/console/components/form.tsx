import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useEdits } from '../app/forms/edits.ts';
import { submits } from '../app/forms/submits.ts';
import type { Action } from '../app/loading.ts';
import { MemberProblemsContext, OtherProblems } from './member-problems.tsx';

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

/** A form with one main button. Shows the problem of its action, at its fields if they have the members of the request. */
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
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => focusInvalid(element.current), [problem]);
  const members = { details: problem?.details ?? [], shown: new Set<string>() };
  const button = (
    <button type="submit" class="main" disabled={isBlocked} aria-disabled={isRunning}>
      {submit}
    </button>
  );
  const form = (content: ComponentChildren) => (
    <form
      {...layout}
      ref={element}
      onInput={onInput}
      onSubmit={submits(() => {
        onSubmit();
        void action.run();
      })}
    >
      {content}
    </form>
  );
  const fields = (
    <MemberProblemsContext.Provider value={members}>{children}</MemberProblemsContext.Provider>
  );
  const problemNote = problem && <OtherProblems problem={problem} shown={members.shown} />;
  if (layout.class === 'row')
    return (
      <>
        {form([fields, button])}
        {problemNote}
      </>
    );
  return form([
    fields,
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

/** Focuses the first field whose value the service has rejected. */
function focusInvalid(form: HTMLFormElement | null): void {
  const field = form?.querySelector<HTMLElement>('[aria-invalid=true]');
  const folded = field?.closest('details');
  if (folded) folded.open = true;
  field?.focus();
}
