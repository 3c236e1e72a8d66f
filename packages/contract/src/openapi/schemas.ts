import type { TSchema } from 'typebox';
import type { SchemaObject } from './document.ts';
import { documentedSchemas } from './documented-schemas.ts';
import { namedSchemas } from './named-schemas.ts';

const names = new Map(Object.entries(namedSchemas).map(([name, schema]) => [textOf(schema), name]));

/** Returns all named schemas in alphabetical order. */
export function componentSchemas(): Record<string, SchemaObject> {
  const derived = Object.entries(namedSchemas).map(([name, schema]) => [name, plain(schema)]);
  const all: Record<string, SchemaObject> = {
    ...Object.fromEntries(derived),
    ...documentedSchemas,
  };
  return Object.fromEntries(
    Object.entries(all)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, schema]) => [name, membersPublic(schema)]),
  );
}

/** Returns a schema as plain JSON, with references to named schemas. */
export function publicSchema(schema: TSchema): SchemaObject {
  return toPublic(plain(schema));
}

function toPublic(schema: SchemaObject): SchemaObject {
  const name = names.get(JSON.stringify(schema));
  return name === undefined ? membersPublic(schema) : referenceTo(name);
}

function referenceTo(name: string): SchemaObject {
  return { $ref: `#/components/schemas/${name}` };
}

function membersPublic(schema: SchemaObject): SchemaObject {
  const { patternProperties, anyOf, items, additionalItems, documentedAs, ifMissing, ...rest } =
    schema;
  if (documentedAs !== undefined)
    return { ...referenceTo(documentedAs), ...described(schema.description) };
  return {
    ...rest,
    // TypeBox describes a record by `patternProperties`; code generators expect `additionalProperties`.
    ...(patternProperties === undefined
      ? {}
      : { additionalProperties: valuesOf(patternProperties) }),
    ...(schema.properties === undefined ? {} : { properties: eachPublic(schema.properties) }),
    ...(items === undefined ? {} : itemsPublic(items)),
    ...(anyOf === undefined ? {} : alternatives(anyOf)),
  };
}

/** Returns the schema of the values of a record. */
function valuesOf(patternProperties: Readonly<Record<string, SchemaObject>>): true | SchemaObject {
  const [values = {}] = Object.values(patternProperties);
  return Object.keys(values).length === 0 ? true : toPublic(values);
}

function described(description: string | undefined): SchemaObject {
  return description === undefined ? {} : { description };
}

function eachPublic(properties: Readonly<Record<string, SchemaObject>>) {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, toPublic(property)]),
  );
}

/** Converts the items of an array. TypeBox describes tuples in the form that JSON Schema used before version 2020-12. */
function itemsPublic(items: SchemaObject | readonly SchemaObject[]): SchemaObject {
  if (!isTuple(items)) return { items: toPublic(items) };
  return { prefixItems: items.map(toPublic), maxItems: items.length };
}

function isTuple(items: SchemaObject | readonly SchemaObject[]): items is readonly SchemaObject[] {
  return Array.isArray(items);
}

/** Converts a union of string constants to an `enum`, which code generators expect. */
function alternatives(anyOf: readonly SchemaObject[]): SchemaObject {
  const constants = anyOf.map((branch) => branch.const);
  if (!constants.every((value) => typeof value === 'string')) return { anyOf: anyOf.map(toPublic) };
  return { type: 'string', enum: constants };
}

function plain(schema: TSchema): SchemaObject {
  return JSON.parse(textOf(schema)) as SchemaObject;
}

function textOf(schema: TSchema): string {
  return JSON.stringify(schema);
}
