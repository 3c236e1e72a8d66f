import type { MetadataField } from '@gatehouse/contract';
import type { JsonObject, JsonValue } from '@gatehouse/filter';

/** Limits of the memory that counting needs, whatever the documents contain. */
const MAX_FIELDS = 1000;
const MAX_FIELDS_PER_DOCUMENT = 1000;
const MAX_NAME_LENGTH = 1000;
const MAX_VALUES_PER_FIELD = 1000;
const MAX_VALUE_LENGTH = 200;
const SHOWN_VALUES = 20;

type Scalar = string | number | boolean | null;
type JsonType = MetadataField['types'][number];

interface FieldCount {
  documents: number;
  readonly types: Map<JsonType, number>;
  readonly values: Map<Scalar, number>;
}

/** The types and values of one field in one document. */
interface FoundField {
  readonly types: Set<JsonType>;
  readonly values: Set<Scalar>;
}

/** Counts the metadata fields of documents, by the names that filters use. */
export class MetadataFieldCounts {
  readonly #fields = new Map<string, FieldCount>();

  add(metadata: JsonObject): void {
    for (const [name, found] of fieldsOf(metadata)) {
      const field = this.#fields.get(name) ?? this.#newField(name);
      if (field === null) continue;
      field.documents += 1;
      for (const type of found.types) field.types.set(type, (field.types.get(type) ?? 0) + 1);
      for (const value of found.values) {
        const count = field.values.get(value);
        if (count !== undefined || field.values.size < MAX_VALUES_PER_FIELD)
          field.values.set(value, (count ?? 0) + 1);
      }
    }
  }

  /** Returns the fields, most frequent first. */
  fields(): MetadataField[] {
    return [...this.#fields]
      .map(([name, { documents, types, values }]) => ({
        name,
        types: mostFrequent(types).map(([type]) => type),
        documents,
        values: mostFrequent(values)
          .slice(0, SHOWN_VALUES)
          .map(([value, count]) => ({ value, documents: count })),
      }))
      .toSorted((a, b) => b.documents - a.documents || (a.name < b.name ? -1 : 1));
  }

  #newField(name: string): FieldCount | null {
    if (this.#fields.size >= MAX_FIELDS) return null;
    const field = { documents: 0, types: new Map(), values: new Map() };
    this.#fields.set(name, field);
    return field;
  }
}

interface Found {
  readonly prefix: string;
  readonly object: JsonObject;
  /** `true` if the path leads through an array. The elements of an array at its end then count as separate values. */
  readonly isInArray: boolean;
}

/**
 * Returns the fields of one document. A path through arrays leads into the objects in them, as in a filter. Not recursive, because
 * nesting can be deep.
 */
function fieldsOf(metadata: JsonObject): ReadonlyMap<string, FoundField> {
  const found = new Map<string, FoundField>();
  const pending: Found[] = [{ prefix: '', object: metadata, isInArray: false }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const [key, value] of Object.entries(next.object)) {
      const name = `${next.prefix}${key}`;
      if (name.length > MAX_NAME_LENGTH) continue;
      const known = found.get(name);
      if (known === undefined && found.size === MAX_FIELDS_PER_DOCUMENT) continue;
      const field = known ?? { types: new Set(), values: new Set() };
      found.set(name, field);
      const elements = elementsOf(value);
      for (const typed of next.isInArray ? elements : [value]) field.types.add(typeOf(typed));
      for (const element of elements) if (isShown(element)) field.values.add(element);
      const isInArray = next.isInArray || Array.isArray(value);
      for (const object of objectsIn(value))
        pending.push({ prefix: `${name}.`, object, isInArray });
    }
  }
  return found;
}

function elementsOf(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [value];
}

function objectsIn(value: JsonValue): readonly JsonObject[] {
  const objects: JsonObject[] = [];
  const pending: JsonValue[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (Array.isArray(next)) for (const element of next) pending.push(element);
    else if (typeof next === 'object' && next !== null) objects.push(next as JsonObject);
  }
  return objects;
}

function isShown(value: JsonValue): value is Scalar {
  if (typeof value === 'string') return value.length <= MAX_VALUE_LENGTH;
  return typeof value !== 'object' || value === null;
}

function typeOf(value: JsonValue): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object';
}

function mostFrequent<Key>(counts: ReadonlyMap<Key, number>): [Key, number][] {
  return [...counts].toSorted(([, a], [, b]) => b - a);
}
