import { type SchemaObject, STORABLE_PATTERN, UUID_PATTERN } from '@gatehouse/contract';

/** Finds what a `$ref` names; any other schema is given back. */
export type Resolve = (schema: SchemaObject) => SchemaObject;

export function resolver(schemas: Readonly<Record<string, SchemaObject>>): Resolve {
  return (schema) => {
    const name = nameOf(schema);
    return name === undefined ? schema : (schemas[name] ?? schema);
  };
}

/** A schema's type in few words: `array of string`, `UUID or null`. */
export function typeWords(schema: SchemaObject): string {
  const name = nameOf(schema);
  if (name !== undefined) return name;
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeWords).join(' or ');
  if (schema.enum !== undefined)
    return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.items !== undefined) return `array of ${typeWords(schema.items)}`;
  if (schema.pattern === UUID_PATTERN) return 'UUID';
  if (schema.format === 'date-time') return 'time';
  if (schema.format === 'uri') return 'URI';
  return schema.type ?? 'any';
}

/** What a schema asks beyond its type: `1 to 200 characters`, `default 50`. */
export function limitWords(schema: SchemaObject): string[] {
  const branches = (schema.anyOf ?? []).flatMap(limitWords);
  const own = [
    range(schema.minimum, schema.maximum, ''),
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' items'),
    schema.uniqueItems === true ? 'no item twice' : undefined,
    isToldOtherwise(schema.pattern) ? undefined : `matches ${schema.pattern}`,
    schema.default === undefined ? undefined : `default ${JSON.stringify(schema.default)}`,
  ];
  return [...own.filter((words) => words !== undefined), ...branches];
}

function isToldOtherwise(pattern: string | undefined): boolean {
  return pattern === undefined || pattern === UUID_PATTERN || pattern === STORABLE_PATTERN;
}

function range(from: number | undefined, to: number | undefined, unit: string) {
  if (from === undefined && to === undefined) return undefined;
  if (to === undefined) return from === 1 && unit !== '' ? 'not empty' : `at least ${from}${unit}`;
  if (from === undefined) return `at most ${grouped(to)}${unit}`;
  return `${grouped(from)} to ${grouped(to)}${unit}`;
}

/** Digits in threes, so that 2592000 can be read. */
function grouped(value: number): string {
  return value.toLocaleString('en').replace('-', '−');
}

function nameOf(schema: SchemaObject): string | undefined {
  return schema.$ref?.split('/').at(-1);
}
