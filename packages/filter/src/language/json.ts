/** A value that `JSON.parse` returns. Numbers are IEEE 754 doubles. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. Any key may be an own key, even `__proto__`: use `Object.hasOwn`. */
export type JsonObject = { readonly [key: string]: JsonValue };

/** Reports whether a JSON value is an object: not null, and not an array. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reports whether an unchecked value is an object such as `JSON.parse` returns. A `Map` or a `Date` is not: without own
 * keys it would be read as `{}`, the filter that matches all records.
 */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
