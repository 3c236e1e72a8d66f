import type { JsonObject } from '@gatehouse/filter';
import { parse } from '@gatehouse/filter';
import { useId } from 'preact/hooks';
import { client } from '../app/client.ts';
import { useLoaded } from '../app/loading.ts';
import { plural, t } from '../translations/translate.ts';
import { useMemberProblems } from './member-problems.tsx';

export interface FilterEditorProps {
  readonly spaceId: string;
  readonly label: string;
  /** JSON text. Empty: no filter. */
  readonly text: string;
  readonly onText: (text: string) => void;
}

/** The result of reading the text of a filter editor. */
export type FilterText =
  | { readonly ok: true; readonly filter: JsonObject | undefined }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Reads a filter as JSON text with the parser that the service uses. Each problem starts with its position. */
export function readFilter(text: string): FilterText {
  if (text.trim() === '') return { ok: true, filter: undefined };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return {
      ok: false,
      problems: [t('This is not JSON: {problem}', { problem: (error as Error).message })],
    };
  }
  const parsed = parse(json);
  return parsed.ok
    ? { ok: true, filter: json as JsonObject }
    : { ok: false, problems: parsed.problems.map(({ path, message }) => `${path}: ${message}`) };
}

/** A text area for a filter, its problems, and the metadata fields of the space with their most frequent values. */
export function FilterEditor({ spaceId, label, text, onText }: FilterEditorProps) {
  const id = useId();
  const read = readFilter(text);
  const rejected = useMemberProblems('permissionFilter', label);
  const problems = read.ok ? rejected : read.problems;
  const fields = useLoaded(`fields ${spaceId}`, () =>
    client.documents.listMetadataFields({ limit: 20 }, { spaceId }),
  );
  const add = (name: string, value: unknown) => {
    if (!read.ok) return;
    onText(JSON.stringify(withValue(read.filter ?? {}, name, value), null, 2));
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={6}
        spellcheck={false}
        class="mono"
        aria-invalid={problems.length > 0}
        aria-describedby={`${id}-problems`}
        placeholder={'{ "audience": { "eq": "customers" } }'}
        value={text}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
      <div id={`${id}-problems`} role="status">
        {problems.length > 0 && (
          <ul class="problem">
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        )}
      </div>
      {fields.data !== undefined && fields.data.items.length > 0 && (
        <details>
          <summary>{t('Fields of the documents in this space')}</summary>
          <ul class="chips">
            {fields.data.items.map(({ name, values }) => (
              <li key={name}>
                <code>{name}</code>{' '}
                {values.slice(0, 8).map(({ value, documents }) => (
                  <button
                    key={String(value)}
                    type="button"
                    class="small"
                    disabled={!read.ok}
                    title={plural(documents, '{count} document', '{count} documents')}
                    onClick={() => add(name, value)}
                  >
                    <bdi>{String(value)}</bdi>
                  </button>
                ))}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

/** Returns the filter with one more permitted value of a field. */
function withValue(filter: JsonObject, name: string, value: unknown): JsonObject {
  const known = (filter[name] ?? {}) as Readonly<Record<string, unknown>>;
  const values = Array.isArray(known['in']) ? known['in'] : 'eq' in known ? [known['eq']] : [];
  if (values.includes(value)) return filter;
  const all = [...values, value];
  const operator = all.length === 1 ? { eq: value } : { in: all };
  return { ...filter, [name]: operator } as JsonObject;
}
