/** A JSON value as `JSON.parse` makes it. Numbers are IEEE 754 doubles. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. Any key may be an own one, `__proto__` included: ask with `Object.hasOwn`. */
export type JsonObject = { readonly [key: string]: JsonValue };

/** Whether a JSON value is an object: not null, and not an array. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Whether an unchecked value is an object such as `JSON.parse` makes. A `Map` or a `Date` is not: it has
 * no own keys, so that it would otherwise read as `{}`, the filter that matches all.
 */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
