/** A value that `JSON.parse` returns. Numbers are IEEE 754 doubles. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. Any key can be an own property, even `__proto__`, so check keys with `Object.hasOwn`. */
export type JsonObject = { readonly [key: string]: JsonValue };

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reports whether an unvalidated value is a plain object, as `JSON.parse` returns. Rejects a `Map` or a `Date`, which
 * has no own keys and would therefore be parsed as `{}`, the filter that matches all records.
 */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
