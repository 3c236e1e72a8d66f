import { type ComponentChildren, h, type TargetedInputEvent } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

export interface FieldProps {
  readonly label: string;
  /** Explanation below the field. */
  readonly hint?: ComponentChildren;
  readonly value: string;
  readonly onValue: (value: string) => void;
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
  value,
  onValue,
  type = 'text',
  isFocused,
  isWide,
  ...input
}: InputProps) {
  const id = useId();
  const element = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isFocused === true) element.current?.focus();
  }, []);
  const describedBy = hint === undefined ? undefined : `${id}-hint`;
  return (
    <div class={isWide === true ? 'field wide' : 'field'}>
      <label for={id}>{label}</label>
      {h('input', {
        ...input,
        ref: element,
        type,
        id,
        value,
        'aria-describedby': describedBy,
        onInput: ({ currentTarget }: TargetedInputEvent<HTMLInputElement>) =>
          onValue(currentTarget.value),
      })}
      {hint !== undefined && (
        <p class="hint" id={describedBy}>
          {hint}
        </p>
      )}
    </div>
  );
}

export interface SelectProps extends FieldProps {
  readonly options: readonly (readonly [value: string, text: string])[];
}

/** A list of choices with its label. */
export function Select({ label, hint, value, onValue, options }: SelectProps) {
  const id = useId();
  const describedBy = hint === undefined ? undefined : `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        aria-describedby={describedBy}
        value={value}
        onChange={({ currentTarget }) => onValue(currentTarget.value)}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
      {hint !== undefined && (
        <p class="hint" id={describedBy}>
          {hint}
        </p>
      )}
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
  value,
  onValue,
  rows = 4,
  isCode = false,
  ...area
}: TextAreaProps) {
  const id = useId();
  const describedBy = hint === undefined ? undefined : `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        dir={isCode ? 'ltr' : 'auto'}
        class={isCode ? 'mono' : undefined}
        rows={rows}
        {...area}
        aria-describedby={describedBy}
        value={value}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
      {hint !== undefined && (
        <p class="hint" id={describedBy}>
          {hint}
        </p>
      )}
    </div>
  );
}
