/**
 * Returns canonical JSON (RFC 8785): no white space, and members sorted by name.
 *
 * @throws {TypeError} for a number that is not finite, or a string that is not valid Unicode.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new TypeError('JSON cannot represent a number that is not finite');
  if (typeof value === 'string' && /\p{Surrogate}/u.test(value))
    throw new TypeError('a string contains half of a surrogate pair');
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  // Without a comparison function, `sort` compares UTF-16 code units, as RFC 8785 requires.
  const sorted = members.map(([name]) => name).sort();
  const object = Object.fromEntries(members);
  return `{${sorted.map((name) => `${canonicalJson(name)}:${canonicalJson(object[name])}`).join(',')}}`;
}
