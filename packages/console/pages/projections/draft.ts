import type { NewProjection, Projection } from '@gatehouse/client';
import { type MetadataRow, readRows, toRows } from '../../components/metadata/metadata-rows.ts';
import { toOptionalPatterns, toPatterns } from '../../components/patterns.ts';
import { newPair, type Pair } from './pair-editor.tsx';

/** A definition of a projection as the user typed it. */
export interface Draft {
  readonly name: string;
  readonly types: string;
  readonly sources: string;
  readonly deletedBy: string;
  readonly key: string;
  /** Names of fields with JSON pointers. */
  readonly fields: readonly Pair[];
  readonly title: string;
  readonly text: string;
  /** Names of metadata with the names of fields. */
  readonly metadata: readonly Pair[];
  /** Metadata with the same value in every record. */
  readonly constants: readonly MetadataRow[];
}

/** Returns the definition that a new form shows. */
export function newDraft(): Draft {
  return {
    name: '',
    types: '',
    sources: '',
    deletedBy: '',
    key: 'subject',
    fields: [newPair()],
    title: '',
    text: '',
    metadata: [],
    constants: [],
  };
}

/** Converts a stored definition to a draft. */
export function toDraft(projection: Projection): Draft {
  const { name, types, sources, deletedBy, key, fields, title, text, metadata } = projection;
  const pairs: Pair[] = [];
  const constants: [string, unknown][] = [];
  for (const [member, origin] of Object.entries(metadata))
    if ('field' in origin) pairs.push(newPair(member, origin.field));
    else constants.push([member, origin.value]);
  return {
    name,
    types: types.join(' '),
    sources: (sources ?? []).join(' '),
    deletedBy: deletedBy.join(' '),
    key,
    fields: Object.entries(fields).map(([field, pointer]) => newPair(field, pointer)),
    title,
    text,
    metadata: pairs,
    constants: toRows(Object.fromEntries(constants)),
  };
}

/** Names that metadata and templates can use. */
export function fieldNames({ fields }: Pick<Draft, 'fields'>): string[] {
  return ['key', ...fields.map(({ name }) => name.trim()).filter((name) => name !== '')];
}

/** Converts a draft to a definition. Returns null while a name is repeated or a constant is invalid. */
export function readDraft(draft: Draft): NewProjection | null {
  const constants = readRows(draft.constants);
  const fields = entriesOf(draft.fields);
  const metadata = entriesOf(draft.metadata);
  if (!constants.ok) return null;
  const fixed = Object.entries(constants.metadata);
  const members = [...metadata.map(([name]) => name), ...fixed.map(([name]) => name)];
  if (isRepeated(fields.map(([name]) => name)) || isRepeated(members)) return null;
  return {
    name: draft.name.trim(),
    types: toPatterns(draft.types),
    sources: toOptionalPatterns(draft.sources),
    deletedBy: toPatterns(draft.deletedBy),
    key: draft.key.trim(),
    fields: Object.fromEntries(fields),
    title: draft.title,
    text: draft.text,
    metadata: Object.fromEntries([
      ...metadata.map(([name, field]) => [name, { field }] as const),
      ...fixed.map(([name, value]) => [name, { value }] as const),
    ]),
  };
}

/** Returns the filled rows. */
function entriesOf(pairs: readonly Pair[]): (readonly [name: string, value: string])[] {
  return pairs
    .map(({ name, value }) => [name.trim(), value.trim()] as const)
    .filter(([name]) => name !== '');
}

function isRepeated(names: readonly string[]): boolean {
  return new Set(names).size < names.length;
}
