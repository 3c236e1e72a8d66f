import type { TSchema } from 'typebox';
import { ErrorBody, GoneBody } from '../common.ts';
import { IngestRequest, IngestResult } from '../events/events.ts';
import { ApiKey } from '../identity/api-keys.ts';
import { Bot } from '../identity/bots.ts';
import { Member } from '../identity/members.ts';
import { User } from '../identity/people.ts';
import { Space } from '../identity/spaces.ts';
import { DocumentEvent } from '../knowledge/document-events.ts';
import { ExchangeRequest, WidgetSession } from '../links/exchange.ts';
import { JwtPayload, Link, LinkRequest, LinkWithPayload } from '../links/links.ts';
import type { SchemaObject } from './document.ts';

/** The schemas that have a name in the document; whatever equals one of them refers to it. */
const named: Readonly<Record<string, TSchema>> = {
  ApiKey,
  Bot,
  DocumentEvent,
  ErrorBody,
  ExchangeRequest,
  GoneBody,
  IngestRequest,
  IngestResult,
  JwtPayload,
  Link,
  LinkRequest,
  LinkWithPayload,
  Member,
  Space,
  User,
  WidgetSession,
};
const names = new Map(Object.entries(named).map(([name, schema]) => [textOf(schema), name]));

/** `components.schemas`. */
export function componentSchemas(): Record<string, SchemaObject> {
  return Object.fromEntries(
    Object.entries(named).map(([name, schema]) => [name, membersPublic(plain(schema))]),
  );
}

/** A schema as the document shows it: plain JSON, with a `$ref` for whatever has a name. */
export function publicSchema(schema: TSchema): SchemaObject {
  return toPublic(plain(schema));
}

function toPublic(schema: SchemaObject): SchemaObject {
  const name = names.get(JSON.stringify(schema));
  return name === undefined ? membersPublic(schema) : { $ref: `#/components/schemas/${name}` };
}

function membersPublic(schema: SchemaObject): SchemaObject {
  const { patternProperties, anyOf, ...rest } = schema;
  return {
    ...rest,
    // How TypeBox writes a record of anything; readers and generators know this form better.
    ...(patternProperties === undefined ? {} : { additionalProperties: true }),
    ...(schema.properties === undefined ? {} : { properties: eachPublic(schema.properties) }),
    ...(schema.items === undefined ? {} : { items: toPublic(schema.items) }),
    ...(anyOf === undefined ? {} : alternatives(anyOf)),
  };
}

function eachPublic(properties: Readonly<Record<string, SchemaObject>>) {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, toPublic(property)]),
  );
}

/** A choice of constants is an `enum` to everyone else. */
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
