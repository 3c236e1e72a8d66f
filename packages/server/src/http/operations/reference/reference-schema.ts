import type { SchemaObject } from '@gatehouse/contract';
import { type Html, html, NOTHING, prose } from './reference-html.ts';
import { limitWords, type Resolve, typeWords } from './reference-type.ts';

/** One line of a table of members. */
export interface Member {
  readonly name: string;
  readonly depth: number;
  readonly required: boolean;
  readonly schema: SchemaObject;
  readonly description: string;
}

/** Whose table it is: of a request we say what must be there, of an answer what may be missing. */
export type Side = 'request' | 'answer';

/** Deeper objects than this are named, not spread out; it also ends a schema that holds itself. */
const MAX_DEPTH = 5;

/** A schema as a compact table: a line for each member, those of nested objects indented below. */
export function schemaTable(schema: SchemaObject, resolve: Resolve, side: Side): Html {
  const root = resolve(schema);
  const members = membersOf(root, resolve, 0);
  const shown = members.length > 0 ? members : [memberOf('body', root, true, 0, resolve)];
  const closed = root.additionalProperties === false;
  return html`${membersTable(shown, side)}${closed ? html`<p class="note">Unknown members are refused.</p>` : NOTHING}`;
}

/** A table of members, or of anything that has a name, a schema and words. */
export function membersTable(members: readonly Member[], side: Side): Html {
  return html`<table class="members"><thead><tr><th>Name</th><th>Type</th><th>Description</th></tr></thead><tbody>${members.map((member) => row(member, side))}</tbody></table>`;
}

function membersOf(schema: SchemaObject, resolve: Resolve, depth: number): Member[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const required = schema.required?.includes(name) === true;
    const nested =
      depth < MAX_DEPTH ? membersOf(within(property, resolve), resolve, depth + 1) : [];
    return [memberOf(name, property, required, depth, resolve), ...nested];
  });
}

function memberOf(
  name: string,
  schema: SchemaObject,
  required: boolean,
  depth: number,
  resolve: Resolve,
): Member {
  const description = schema.description ?? describedWithin(schema, resolve);
  return { name, depth, required, schema, description };
}

/** A nullable or a list is described by what it holds. */
function describedWithin(schema: SchemaObject, resolve: Resolve): string {
  return resolve(schema).description ?? within(schema, resolve).description ?? '';
}

/** The schema whose members stand below a member: its own, its items' or its one object's. */
function within(schema: SchemaObject, resolve: Resolve): SchemaObject {
  const resolved = resolve(schema);
  if (resolved.items !== undefined) return within(resolved.items, resolve);
  const branch = resolved.anyOf?.find((one) => resolve(one).type !== 'null');
  return branch === undefined ? resolved : within(branch, resolve);
}

function row(member: Member, side: Side): Html {
  const { name, depth, schema, description } = member;
  const limits = limitWords(schema).join(', ');
  return html`<tr class="d${depth}"><td><code>${name}</code>${presence(member, side)}</td><td><span class="type">${typeWords(schema)}</span>${limits === '' ? NOTHING : html`<small>${limits}</small>`}</td><td>${prose(description)}</td></tr>`;
}

function presence({ required }: Member, side: Side): Html {
  if (side === 'request') return required ? html` <b class="required">required</b>` : NOTHING;
  return required ? NOTHING : html` <b class="optional">optional</b>`;
}
