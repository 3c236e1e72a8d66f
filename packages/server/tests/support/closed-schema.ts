import type { TSchema } from 'typebox';

/**
 * The same schema, but an object that lists its members holds no others unless it says so itself: a
 * member that an answer has and the contract does not name is a leak or a forgotten line.
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

/** Members may be called anything, `type` and `properties` too, so their names are not read. */
function eachClosed(properties: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, close(one)]));
}
