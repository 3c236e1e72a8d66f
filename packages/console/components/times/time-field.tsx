import { useId } from 'preact/hooks';
import type { FieldProps } from '../field.tsx';

/** A field for a time in the time zone of the browser. Its value is RFC 3339 in UTC, or empty. */
export function TimeField({ label, value, onValue }: Omit<FieldProps, 'hint'>) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="datetime-local"
        step={1}
        value={toLocal(value)}
        onInput={({ currentTarget }) => onValue(toUtc(currentTarget.value))}
      />
    </div>
  );
}

/** Returns the value of the input element for a time, or an empty text if there is no valid time. */
function toLocal(text: string): string {
  const time = Date.parse(text);
  if (Number.isNaN(time)) return '';
  const offset = new Date(time).getTimezoneOffset() * 60_000;
  return new Date(time - offset).toISOString().slice(0, 19);
}

function toUtc(local: string): string {
  const time = Date.parse(local);
  return Number.isNaN(time) ? '' : new Date(time).toISOString();
}
