import { useId } from 'preact/hooks';
import { client } from '../../app/client.ts';
import { useLoaded } from '../../app/loading.ts';
import { t } from '../../translations/translate.ts';
import { useMemberProblems } from '../member-problems.tsx';
import {
  type MetadataRow,
  newRow,
  type RowProblem,
  readRows,
  type ValueType,
} from './metadata-rows.ts';

export interface MetadataEditorProps {
  readonly spaceId: string;
  readonly label: string;
  readonly hint?: string;
  /** Path of the member of the request that has this value. The editor shows the problems of the member. */
  readonly member?: string;
  readonly rows: readonly MetadataRow[];
  readonly onRows: (rows: readonly MetadataRow[]) => void;
}

/** A list of metadata fields with their types and values. Offers the field names of other documents. */
export function MetadataEditor({
  spaceId,
  label,
  hint,
  member,
  rows,
  onRows,
}: MetadataEditorProps) {
  const id = useId();
  const read = readRows(rows);
  const problems = useMemberProblems(member, label);
  const known = useLoaded(`fields ${spaceId}`, () =>
    client.documents.listMetadataFields({ limit: 100 }, { spaceId }),
  );
  const change = (changed: MetadataRow) =>
    onRows(rows.map((row) => (row.id === changed.id ? changed : row)));
  return (
    <fieldset class="metadata">
      <legend>{label}</legend>
      {hint !== undefined && <p class="hint">{hint}</p>}
      {problems.length > 0 && (
        <ul class="problem">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      <datalist id={id}>
        {(known.data?.items ?? []).map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {rows.map((row, index) => (
        <Row
          key={row.id}
          row={row}
          number={index + 1}
          names={id}
          problem={read.ok ? undefined : read.problems.get(row.id)}
          onChange={change}
          onRemove={() => onRows(rows.filter((other) => other.id !== row.id))}
        />
      ))}
      <div>
        <button type="button" class="small" onClick={() => onRows([...rows, newRow()])}>
          {t('Add a field')}
        </button>
      </div>
    </fieldset>
  );
}

interface RowProps {
  readonly row: MetadataRow;
  readonly number: number;
  /** ID of the list of known names. */
  readonly names: string;
  readonly problem: RowProblem | undefined;
  readonly onChange: (row: MetadataRow) => void;
  readonly onRemove: () => void;
}

function Row({ row, number, names, problem, onChange, onRemove }: RowProps) {
  const id = useId();
  const isNameWrong = problem === 'name-missing' || problem === 'name-repeated';
  const withType = (type: ValueType) => ({
    ...row,
    type,
    text: type === 'boolean' && row.text !== 'true' ? 'false' : row.text,
  });
  return (
    <div class="metadata-row">
      <input
        aria-label={t('Name of field {number}', { number })}
        aria-invalid={isNameWrong}
        aria-describedby={isNameWrong ? id : undefined}
        placeholder={t('Name')}
        list={names}
        value={row.name}
        onInput={({ currentTarget }) => onChange({ ...row, name: currentTarget.value })}
      />
      <select
        aria-label={t('Type of field {number}', { number })}
        value={row.type}
        onChange={({ currentTarget }) => onChange(withType(currentTarget.value as ValueType))}
      >
        <option value="text">{t('Text')}</option>
        <option value="number">{t('Number')}</option>
        <option value="boolean">{t('Yes or no')}</option>
        <option value="list">{t('List')}</option>
        <option value="json">JSON</option>
      </select>
      <Value
        row={row}
        label={t('Value of field {number}', { number })}
        problemId={problem !== undefined && !isNameWrong ? id : undefined}
        onText={(text) => onChange({ ...row, text })}
      />
      <button type="button" class="small" onClick={onRemove}>
        {t('Remove')} <span class="visually-hidden">{row.name || number}</span>
      </button>
      {problem !== undefined && (
        <p class="problem" id={id} role="status">
          {describe(problem)}
        </p>
      )}
    </div>
  );
}

interface ValueProps {
  readonly row: MetadataRow;
  readonly label: string;
  readonly problemId: string | undefined;
  readonly onText: (text: string) => void;
}

function Value({ row: { type, text }, label, problemId, onText }: ValueProps) {
  const shared = {
    'aria-label': label,
    'aria-invalid': problemId !== undefined,
    'aria-describedby': problemId,
    value: text,
  };
  if (type === 'boolean')
    return (
      <select {...shared} onChange={({ currentTarget }) => onText(currentTarget.value)}>
        <option value="true">{t('Yes')}</option>
        <option value="false">{t('No')}</option>
      </select>
    );
  if (type === 'list' || type === 'json')
    return (
      <textarea
        {...shared}
        rows={Math.min(8, Math.max(2, text.split('\n').length))}
        class={type === 'json' ? 'mono' : undefined}
        placeholder={type === 'list' ? t('One item per line') : undefined}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
    );
  return (
    <input
      {...shared}
      placeholder={t('Value')}
      inputMode={type === 'number' ? 'decimal' : undefined}
      onInput={({ currentTarget }) => onText(currentTarget.value)}
    />
  );
}

function describe(problem: RowProblem): string {
  switch (problem) {
    case 'name-missing':
      return t('Enter a name.');
    case 'name-repeated':
      return t('Another field has this name.');
    case 'not-a-number':
      return t('Enter a number, such as 3 or 2.5.');
    case 'not-json':
      return t('This is not JSON.');
  }
}
