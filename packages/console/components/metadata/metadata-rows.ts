/** A metadata object as the client sends it. */
export type Metadata = Readonly<Record<string, unknown>>;

/** The type of a value in the editor. `json`: any other JSON value, as text. */
export type ValueType = 'text' | 'number' | 'boolean' | 'list' | 'json';

/** One field in the editor. The texts are what the user typed. */
export interface MetadataRow {
  /** Identifies the row while it is edited. */
  readonly id: number;
  readonly name: string;
  readonly type: ValueType;
  /** A list has one item per line. A boolean is `true` or `false`. */
  readonly text: string;
}

export type RowProblem = 'name-missing' | 'name-repeated' | 'not-a-number' | 'not-json';

/** The result of reading the rows of an editor. */
export type ReadRows =
  | { readonly ok: true; readonly metadata: Metadata }
  | { readonly ok: false; readonly problems: ReadonlyMap<number, RowProblem> };

let lastId = 0;

/** Returns an empty row of the type `text`. */
export function newRow(): MetadataRow {
  lastId += 1;
  return { id: lastId, name: '', type: 'text', text: '' };
}

/** Converts metadata to rows, one per top-level key. */
export function toRows(metadata: Metadata): MetadataRow[] {
  return Object.entries(metadata).map(([name, value]) => ({
    ...newRow(),
    name,
    ...toTypedText(value),
  }));
}

/** Converts rows to metadata. Rows without a name and a value are ignored. */
export function readRows(rows: readonly MetadataRow[]): ReadRows {
  const problems = new Map<number, RowProblem>();
  const entries: [string, unknown][] = [];
  const names = new Set<string>();
  for (const { id, name, type, text } of rows) {
    if (name === '' && text === '') continue;
    const value = readValue(type, text);
    if (name === '') problems.set(id, 'name-missing');
    else if (names.has(name)) problems.set(id, 'name-repeated');
    else if (!value.ok) problems.set(id, value.problem);
    else entries.push([name, value.value]);
    names.add(name);
  }
  // `fromEntries` makes `__proto__` an own property.
  return problems.size > 0
    ? { ok: false, problems }
    : { ok: true, metadata: Object.fromEntries(entries) };
}

function toTypedText(value: unknown): Pick<MetadataRow, 'type' | 'text'> {
  if (typeof value === 'string') return { type: 'text', text: value };
  if (typeof value === 'number') return { type: 'number', text: String(value) };
  if (typeof value === 'boolean') return { type: 'boolean', text: String(value) };
  if (Array.isArray(value) && value.every(isLine)) return { type: 'list', text: value.join('\n') };
  return { type: 'json', text: JSON.stringify(value, null, 2) };
}

/** Reports whether a list of lines can contain the value unchanged. */
function isLine(value: unknown): value is string {
  return (
    typeof value === 'string' && value !== '' && value === value.trim() && !/[\r\n]/.test(value)
  );
}

function readValue(
  type: ValueType,
  text: string,
):
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: RowProblem } {
  switch (type) {
    case 'text':
      return { ok: true, value: text };
    case 'boolean':
      return { ok: true, value: text === 'true' };
    case 'list': {
      const lines = text.split(/\r?\n/).map((line) => line.trim());
      return { ok: true, value: lines.filter((line) => line !== '') };
    }
    case 'number': {
      const value = Number(text);
      return text.trim() !== '' && Number.isFinite(value)
        ? { ok: true, value }
        : { ok: false, problem: 'not-a-number' };
    }
    case 'json':
      try {
        return { ok: true, value: JSON.parse(text) as unknown };
      } catch {
        return { ok: false, problem: 'not-json' };
      }
  }
}
