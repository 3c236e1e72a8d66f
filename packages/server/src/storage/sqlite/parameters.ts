import type { SQLInputValue } from 'node:sqlite';

/** A query's parameters as SQLite takes them. Throws `TypeError` for a value that it cannot hold. */
export function toSqlite(parameters: readonly unknown[]): SQLInputValue[] {
  return parameters.map(toValue);
}

function toValue(value: unknown): SQLInputValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return value;
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`a ${typeof value} cannot be a parameter`);
}
