import { MAX_PROBLEMS } from '@gatehouse/contract';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Settings } from 'typebox/system';
import { isObject } from '../../lib/json/index.ts';

/** An error of TypeBox's validator. The error names the violated JSON Schema keyword. */
export type SchemaError = ReturnType<ReturnType<typeof Compile<TSchema>>['Errors']>[number];

type Explain = (value: unknown) => SchemaError[];

// TypeBox's default of eight is too few for a request with many errors.
Settings.Set({ maxErrors: MAX_PROBLEMS });

interface ObjectSchema extends TSchema {
  readonly properties: Readonly<Record<string, TSchema>>;
  readonly additionalProperties?: unknown;
}

interface List {
  readonly name: string;
  readonly maxItems: number;
  readonly isValid: (element: unknown) => boolean;
  readonly explain: Explain;
}

/**
 * Returns a function that lists the errors of an invalid value.
 *
 * TypeBox's `Errors` takes microseconds for each member and element, including valid ones, so a large body would take seconds.
 * Therefore an element of an array is examined only if the compiled check rejects the element. Elements beyond `maxItems` are
 * ignored. Only the names of unknown members are read.
 */
export function compileExplain(schema: TSchema): Explain {
  if (!isObjectSchema(schema)) {
    const validator = Compile(schema);
    return (value) => validator.Errors(value);
  }
  const { properties, additionalProperties, ...rest } = schema;
  const isClosed = additionalProperties === false;
  const lists = Object.entries(properties).flatMap(listOf);
  const listsWithoutItems = lists.map(({ name }) => {
    const { items: _, ...list } = properties[name] as TSchema & { items: TSchema };
    return [name, list as TSchema] as const;
  });
  const shell = Compile({
    ...rest,
    properties: { ...properties, ...Object.fromEntries(listsWithoutItems) },
    ...(isClosed || additionalProperties === undefined ? {} : { additionalProperties }),
  } as TSchema);
  return (value) => {
    const errors = shell.Errors(value);
    if (!isObject(value)) return errors;
    if (isClosed) errors.push(...unknownMembers(value, properties));
    for (const list of lists) errors.push(...elementErrors(list, value[list.name]));
    return errors;
  };
}

function listOf([name, schema]: [string, TSchema]): List[] {
  const {
    type,
    items,
    maxItems = Number.POSITIVE_INFINITY,
  } = schema as Partial<Record<'type' | 'items' | 'maxItems', unknown>>;
  // A schema with a reference cannot be compiled separately.
  if (type !== 'array' || !isObject(items) || JSON.stringify(items).includes('"$ref"')) return [];
  const element = items as TSchema;
  const validator = Compile(element);
  const isValid = (value: unknown) => validator.Check(value);
  return [{ name, maxItems: Number(maxItems), isValid, explain: compileExplain(element) }];
}

function elementErrors({ name, maxItems, isValid, explain }: List, value: unknown): SchemaError[] {
  const errors: SchemaError[] = [];
  if (!Array.isArray(value)) return errors;
  const end = Math.min(value.length, maxItems);
  for (let index = 0; index < end && errors.length < MAX_PROBLEMS; index++) {
    if (isValid(value[index])) continue;
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
      params: { additionalProperties: names.slice(0, MAX_PROBLEMS) },
      message: 'must not have additional properties',
    },
  ];
}

function isObjectSchema(schema: TSchema): schema is ObjectSchema {
  const { type, properties } = schema as { type?: unknown; properties?: unknown };
  return type === 'object' && isObject(properties);
}
