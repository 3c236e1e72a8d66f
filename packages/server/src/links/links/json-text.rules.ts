/**
 * An object as JSON with more members whose values are JSON already, so that what was kept as it
 * was sent also goes out like that. The names need no escaping.
 */
export function jsonWith(
  object: Readonly<Record<string, unknown>>,
  texts: Readonly<Record<string, string>>,
): string {
  const members = Object.entries(texts).map(([name, text]) => `"${name}":${text}`);
  const own = JSON.stringify(object).slice(1, -1);
  return `{${[...(own === '' ? [] : [own]), ...members].join(',')}}`;
}
