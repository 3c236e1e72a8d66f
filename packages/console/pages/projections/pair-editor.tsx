import { useId } from 'preact/hooks';
import { t } from '../../translations/translate.ts';

/** A name and its value, as the user typed them. */
export interface Pair {
  /** Identifies the row while it is edited. */
  readonly id: number;
  readonly name: string;
  readonly value: string;
}

let lastId = 0;

/** Returns a row of a `PairEditor`. */
export function newPair(name = '', value = ''): Pair {
  lastId += 1;
  return { id: lastId, name, value };
}

export interface PairEditorProps {
  readonly label: string;
  readonly hint: string;
  readonly nameLabel: string;
  readonly valueLabel: string;
  readonly pairs: readonly Pair[];
  readonly onPairs: (pairs: readonly Pair[]) => void;
  /** Permitted values. If omitted, the value is free text. */
  readonly options?: readonly string[];
  /** Example of a value. */
  readonly placeholder?: string;
}

/** A list of names with values. */
export function PairEditor(props: PairEditorProps) {
  const { label, hint, nameLabel, valueLabel, pairs, onPairs, options, placeholder } = props;
  const id = useId();
  const change = (changed: Pair) =>
    onPairs(pairs.map((pair) => (pair.id === changed.id ? changed : pair)));
  return (
    <fieldset class="metadata" aria-describedby={id}>
      <legend>{label}</legend>
      <p class="hint" id={id}>
        {hint}
      </p>
      {pairs.map((pair, index) => (
        <div class="pair" key={pair.id}>
          <input
            aria-label={`${nameLabel} ${index + 1}`}
            placeholder={nameLabel}
            maxLength={64}
            value={pair.name}
            onInput={({ currentTarget }) => change({ ...pair, name: currentTarget.value })}
          />
          {options === undefined ? (
            <input
              aria-label={`${valueLabel} ${index + 1}`}
              placeholder={placeholder}
              class="mono"
              maxLength={1000}
              value={pair.value}
              onInput={({ currentTarget }) => change({ ...pair, value: currentTarget.value })}
            />
          ) : (
            <select
              aria-label={`${valueLabel} ${index + 1}`}
              value={pair.value}
              onChange={({ currentTarget }) => change({ ...pair, value: currentTarget.value })}
            >
              {[...new Set([pair.value, ...options])].map((option) => (
                <option key={option} value={option}>
                  {option}
                </option>
              ))}
            </select>
          )}
          <button
            type="button"
            class="small"
            onClick={() => onPairs(pairs.filter((other) => other.id !== pair.id))}
          >
            {t('Remove')} <span class="visually-hidden">{pair.name || index + 1}</span>
          </button>
        </div>
      ))}
      <div>
        <button
          type="button"
          class="small"
          onClick={() => onPairs([...pairs, newPair('', options?.[0] ?? '')])}
        >
          {t('Add a field')} <span class="visually-hidden">{label}</span>
        </button>
      </div>
    </fieldset>
  );
}
