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

/** Returns the problems of a definition that its schema does not express. */
export function definitionIssues(definition: Partial<NewProjection>): Issue[] {
  const { key, fields = {}, title, text, metadata = {} } = definition;
  const names = Object.keys(fields);
  const problems: string[] = [];
  if (key !== undefined && key !== 'subject' && (key === '' || !POINTER.test(key)))
    problems.push('key: must be `subject` or a JSON pointer such as `/order/id`');
  if (names.length > MAX_RECORD_FIELDS)
    problems.push(`fields: must have at most ${MAX_RECORD_FIELDS} members`);
  for (const [name, pointer] of Object.entries(fields)) {
    if (!FIELD_NAME.test(name) || name === KEY)
      problems.push(
        `fields.${name}: a name must have at most 64 letters, digits and \`_\`, and \`key\` is reserved`,
      );
    if (!POINTER.test(pointer))
      problems.push(`fields.${name}: must be a JSON pointer such as \`/status\``);
  }
  const known = new Set([KEY, ...names]);
  for (const [member, template] of [['title', title] as const, ['text', text] as const])
    for (const [, name = ''] of (template ?? '').matchAll(PLACEHOLDER))
      if (!known.has(name)) problems.push(`${member}: {${name}} is not a field`);
  for (const [name, source] of Object.entries(metadata))
    if ('field' in source && !known.has(source.field))
      problems.push(`metadata.${name}.field: ${source.field} is not a field`);
  const checked = readMetadata(
    Object.fromEntries(
      Object.entries(metadata).map(([name, source]) => [
        name,
        'value' in source ? source.value : null,
      ]),
    ),
  );
  return [...problems.map((message) => ({ message })), ...(checked.ok ? [] : checked.issues)];
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
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
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
  const found: Record<string, JsonValue> = {};
  for (const [name, source] of Object.entries(metadata)) {
    const value =
      'value' in source
        ? (source.value as JsonValue)
        : source.field === KEY
          ? key
          : fields.get(source.field);
    if (value === undefined || value === null) continue;
    found[name] = value;
  }
  return readMetadata(found).ok ? found : null;
}
