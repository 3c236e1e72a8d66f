export type Segment = string | number;

/** Fills the placeholders of a path in order. Throws a `TypeError` for a value that would change the path. */
export function fillPath(template: string, next: (name: string) => unknown): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = next(name);
    // URL parsers resolve the segments `.` and `..`, even if they are percent-encoded.
    if (!/^(string|number)$/.test(typeof value) || /^\.{0,2}$/.test(String(value)))
      throw new TypeError(`${name} must be a non-empty string other than "." and ".."`);
    return encodeURIComponent(String(value));
  });
}

/** Returns `?name=value&…`, or an empty string. Skips members that are `undefined`. */
export function toQuery(query: object | undefined): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([k, v]) => [k, String(v)]))}`;
}
