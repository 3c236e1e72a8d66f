import type { TSchema } from 'typebox';

/**
 * Returns a copy of a schema in which objects with declared properties allow no other properties, unless the schema
 * explicitly allows them. An undeclared response member is a leak or a mistake in the contract.
 */
export function closedSchema(schema: TSchema): TSchema {
  return close(JSON.parse(JSON.stringify(schema))) as TSchema;
}

function close(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(close);
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).map(([name, child]) => [
    name,
    name === 'properties' ? eachClosed(child) : close(child),
  ]);
  const closed = Object.fromEntries(entries);
  const lists = closed.type === 'object' && closed.properties !== undefined;
  return lists ? { additionalProperties: false, ...closed } : closed;
}

/** Closes the schemas of properties. A property can have the same name as a schema keyword. */
function eachClosed(properties: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, close(property)]),
  );
}
