import { type ComponentChildren, h, type TargetedInputEvent } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { useMemberProblems } from './member-problems.tsx';

export interface FieldProps {
  readonly label: string;
  /** Explanation below the field. */
  readonly hint?: ComponentChildren;
  /** Path of the member of the request that has this value, such as `budget.tokensPerDay`. The field shows the problems of the member. */
  readonly member?: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

interface Description {
  readonly label: string;
  readonly hint: ComponentChildren;
  readonly member: string | undefined;
}

/** Returns the attributes of a control, and the hint and the problems below it. */
function useDescription({ label, hint, member }: Description) {
  const id = useId();
  const problems = useMemberProblems(member, label);
  const isInvalid = problems.length > 0;
  const describedBy = [
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(isInvalid ? [`${id}-problems`] : []),
  ];
  return {
    control: {
      id,
      'aria-invalid': isInvalid ? true : undefined,
      'aria-describedby': describedBy.length === 0 ? undefined : describedBy.join(' '),
    },
    below: (
      <>
        {hint !== undefined && (
          <p class="hint" id={`${id}-hint`}>
            {hint}
          </p>
        )}
        {isInvalid && (
          <ul class="problem" id={`${id}-problems`}>
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        )}
      </>
    ),
  };
}

interface InputProps extends FieldProps {
  readonly type?: 'text' | 'email' | 'password' | 'search' | 'date';
  readonly autocomplete?: string;
  readonly required?: boolean;
  readonly placeholder?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly inputMode?: 'decimal' | 'numeric';
  readonly pattern?: string;
  /** Receives the focus when the field appears. */
  readonly isFocused?: boolean;
  /** Takes the rest of the row. */
  readonly isWide?: boolean;
}

export function Field({
  label,
  hint,
  member,
  value,
  onValue,
  type = 'text',
  placeholder,
  isFocused,
  isWide,
  ...input
}: InputProps) {
  const { control, below } = useDescription({ label, hint, member });
  const element = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isFocused === true) element.current?.focus();
  }, []);
  return (
    <div class={isWide === true ? 'field wide' : 'field'}>
      <label for={control.id}>{label}</label>
      {h('input', {
        ...input,
        ...control,
        ref: element,
        type,
        // Isolates the text, because an Arabic page would show the signs at its ends on the other side.
        placeholder: placeholder && `\u2068${placeholder}\u2069`,
        value,
        onInput: ({ currentTarget }: TargetedInputEvent<HTMLInputElement>) =>
          onValue(currentTarget.value),
      })}
      {below}
    </div>
  );
}

export interface SelectProps extends FieldProps {
  readonly options: readonly (readonly [value: string, text: string])[];
}

/** A list of choices with its label. */
export function Select({ label, hint, member, value, onValue, options }: SelectProps) {
  const { control, below } = useDescription({ label, hint, member });
  return (
    <div class="field">
      <label for={control.id}>{label}</label>
      <select
        {...control}
        value={value}
        onChange={({ currentTarget }) => onValue(currentTarget.value)}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
      {below}
    </div>
  );
}

export interface TextAreaProps extends FieldProps {
  readonly rows?: number;
  readonly required?: boolean;
  readonly placeholder?: string;
  readonly maxLength?: number;
  /** Shows the text in a monospaced font. */
  readonly isCode?: boolean;
}

/** A text field with several lines, with its label. */
export function TextArea({
  label,
  hint,
  member,
  value,
  onValue,
  rows = 4,
  isCode = false,
  ...area
}: TextAreaProps) {
  const { control, below } = useDescription({ label, hint, member });
  return (
    <div class="field">
      <label for={control.id}>{label}</label>
      <textarea
        {...control}
        dir={isCode ? 'ltr' : 'auto'}
        class={isCode ? 'mono' : undefined}
        rows={rows}
        {...area}
        value={value}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
      {below}
    </div>
  );
}
