/** A query's parameters as the client takes them. Throws `TypeError` for a value that has no one meaning. */
export function toPostgres(parameters: readonly unknown[]): unknown[] {
  return parameters.map(toValue);
}

function toValue(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string' || typeof value === 'number') return value;
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (Array.isArray(value)) return value.map(toValue);
  throw new TypeError(`a ${typeof value} cannot be a parameter`);
}
