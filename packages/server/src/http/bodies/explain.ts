import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Settings } from 'typebox/system';

/** An error as TypeBox's validator reports it; the names are JSON Schema's. */
export type SchemaError = ReturnType<ReturnType<typeof Compile<TSchema>>['Errors']>[number];

type Explain = (value: unknown) => SchemaError[];

export const MAX_ISSUES = 100;
// Its own eight would be used up by the first few of many faults.
Settings.Set({ maxErrors: MAX_ISSUES });

interface ObjectSchema extends TSchema {
  readonly properties: Readonly<Record<string, TSchema>>;
  readonly additionalProperties?: unknown;
}

interface List {
  readonly name: string;
  readonly maxItems: number;
  readonly isRight: (element: unknown) => boolean;
  readonly explain: Explain;
}

/**
 * Says what is wrong with a value that a schema refuses.
 *
 * TypeBox looks for that at each member and element once more, right ones too, and takes some microseconds
 * for each: seconds for a large body with one fault. So elements of an object's lists are looked at only when
 * the compiled check refuses them, none beyond the end of a list that is too long, and unknown members not at all.
 */
export function compileExplain(schema: TSchema): Explain {
  if (!isObjectSchema(schema)) {
    const validator = Compile(schema);
    return (value) => validator.Errors(value);
  }
  const { properties, additionalProperties, ...rest } = schema;
  const isClosed = additionalProperties === false;
  const lists = Object.entries(properties).flatMap(listOf);
  const bare = lists.map(({ name }) => {
    const { items: _, ...list } = properties[name] as TSchema & { items: TSchema };
    return [name, list as TSchema] as const;
  });
  const shell = Compile({
    ...rest,
    properties: { ...properties, ...Object.fromEntries(bare) },
    ...(isClosed || additionalProperties === undefined ? {} : { additionalProperties }),
  } as TSchema);
  return (value) => {
    const errors = shell.Errors(value);
    if (!isObject(value)) return errors;
    if (isClosed) errors.push(...unknownMembers(value, properties));
    for (const list of lists) errors.push(...inList(list, value[list.name]));
    return errors;
  };
}

function listOf([name, schema]: [string, TSchema]): List[] {
  const {
    type,
    items,
    maxItems = Number.POSITIVE_INFINITY,
  } = schema as Partial<Record<'type' | 'items' | 'maxItems', unknown>>;
  // An element that refers to something is not understood without the rest.
  if (type !== 'array' || !isObject(items) || JSON.stringify(items).includes('"$ref"')) return [];
  const element = items as TSchema;
  const validator = Compile(element);
  const isRight = (value: unknown) => validator.Check(value);
  return [{ name, maxItems: Number(maxItems), isRight, explain: compileExplain(element) }];
}

function inList({ name, maxItems, isRight, explain }: List, value: unknown): SchemaError[] {
  const errors: SchemaError[] = [];
  if (!Array.isArray(value)) return errors;
  const end = Math.min(value.length, maxItems);
  for (let index = 0; index < end && errors.length < MAX_ISSUES; index++) {
    if (isRight(value[index])) continue;
    for (const error of explain(value[index]))
      errors.push({
        ...error,
        schemaPath: `#/properties/${name}/items${error.schemaPath.slice(1)}`,
        instancePath: `/${name}/${index}${error.instancePath}`,
      });
  }
  return errors;
}

function unknownMembers(
  value: Readonly<Record<string, unknown>>,
  known: ObjectSchema['properties'],
): SchemaError[] {
  const names = Object.keys(value).filter((name) => !Object.hasOwn(known, name));
  if (names.length === 0) return [];
  return [
    {
      keyword: 'additionalProperties',
      schemaPath: '#',
      instancePath: '',
      params: { additionalProperties: names.slice(0, MAX_ISSUES) },
      message: 'must not have additional properties',
    },
  ];
}

function isObjectSchema(schema: TSchema): schema is ObjectSchema {
  const { type, properties } = schema as { type?: unknown; properties?: unknown };
  return type === 'object' && isObject(properties);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
