import {
  FIELD_NAME_PATTERN,
  type Issue,
  MAX_RECORD_FIELDS,
  type NewProjection,
} from '@gatehouse/contract';
import type { JsonObject, JsonValue } from '@gatehouse/filter';
import { readMetadata } from '../documents/metadata.rules.ts';

/** A validated definition. Optional members have their defaults. */
export type Definition = Required<NewProjection>;

const FIELD_NAME = new RegExp(FIELD_NAME_PATTERN);
const PLACEHOLDER = /\{([^{}]*)\}/g;
const POINTER = /^(\/([^~/]|~[01])*)*$/;
const KEY = 'key';

/**
 * Returns the problems of a definition that its schema does not express.
 *
 * @param definition may not match the schema, which reports members of the wrong type.
 */
export function definitionIssues(definition: Readonly<Record<string, unknown>>): Issue[] {
  const { key } = definition;
  const fields = entriesOf(definition['fields']);
  const metadata = entriesOf(definition['metadata']).filter(isSource);
  const problems: string[] = [];
  if (typeof key === 'string' && key !== 'subject' && (key === '' || !POINTER.test(key)))
    problems.push('key: must be `subject` or a JSON pointer such as `/order/id`');
  if (fields.length > MAX_RECORD_FIELDS)
    problems.push(`fields: must have at most ${MAX_RECORD_FIELDS} members`);
  for (const [name, pointer] of fields) {
    if (!FIELD_NAME.test(name) || name === KEY)
      problems.push(
        `fields.${name}: a name must have at most 64 letters, digits and \`_\`, and \`key\` is reserved`,
      );
    if (typeof pointer === 'string' && !POINTER.test(pointer))
      problems.push(`fields.${name}: must be a JSON pointer such as \`/status\``);
  }
  const known = new Set<unknown>([KEY, ...fields.map(([name]) => name)]);
  for (const member of ['title', 'text']) {
    const template = definition[member];
    if (typeof template !== 'string') continue;
    for (const [, name = ''] of template.matchAll(PLACEHOLDER))
      if (!known.has(name)) problems.push(`${member}: {${name}} is not a field`);
  }
  for (const [name, source] of metadata)
    if ('field' in source && typeof source.field === 'string' && !known.has(source.field))
      problems.push(`metadata.${name}.field: ${source.field} is not a field`);
  const checked = readMetadata(
    Object.fromEntries(
      metadata.map(([name, source]) => [name, 'value' in source ? source.value : null]),
    ),
  );
  return [...problems.map((message) => ({ message })), ...(checked.ok ? [] : checked.issues)];
}

function entriesOf(value: unknown): [name: string, value: unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function isSource(
  entry: [string, unknown],
): entry is [string, { field?: unknown; value?: unknown }] {
  return typeof entry[1] === 'object' && entry[1] !== null;
}

export function toDefinition({
  sources = null,
  deletedBy = [],
  ...definition
}: NewProjection): Definition {
  return { ...definition, sources, deletedBy };
}

/**
 * Returns the value at a JSON pointer (RFC 6901), or `undefined`.
 *
 * @example
 * valueAt({ order: { id: 1001 } }, '/order/id'); // 1001
 */
export function valueAt(data: unknown, pointer: string): unknown {
  let value = data;
  for (const name of namesOf(pointer)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

/** Returns the names of the members that a JSON pointer refers to, outermost first. */
export function namesOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * Replaces each `{name}` once. Text that `textOf` returns is not searched for placeholders.
 *
 * @param textOf returns the text of a field.
 */
export function render(template: string, textOf: (name: string) => string): string {
  return template.replace(PLACEHOLDER, (_, name: string) => textOf(name));
}

/** Returns the names of the fields whose values are metadata. */
export function metadataFields({ metadata }: Definition): Set<string> {
  return new Set(
    Object.values(metadata).flatMap((source) => ('field' in source ? source.field : [])),
  );
}

/**
 * Returns the metadata of a record, without members that have no value. Returns `null` if a value is not valid: without it, a filter
 * that excludes values would show the record.
 */
export function metadataOf(
  { metadata }: Definition,
  key: string,
  fields: ReadonlyMap<string, JsonValue>,
): JsonObject | null {
  const entries: [name: string, value: JsonValue][] = [];
  for (const [name, source] of Object.entries(metadata)) {
    const value =
      'value' in source
        ? (source.value as JsonValue)
        : source.field === KEY
          ? key
          : fields.get(source.field);
    if (value === undefined || value === null) continue;
    entries.push([name, value]);
  }
  // `fromEntries` creates an own property, even for `__proto__`.
  const found = Object.fromEntries(entries);
  return readMetadata(found).ok ? found : null;
}
