/**
 * The path through objects to a field, as both engines read it: `$."department"."it's"`. SQLite's paths take
 * JSON's escapes in quoted keys, PostgreSQL's are strings of JavaScript.
 */
export function jsonPath(path: readonly string[]): string {
  return `$${path.map((key) => `.${JSON.stringify(key)}`).join('')}`;
}
