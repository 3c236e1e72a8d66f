export type SqlValue = string | number;

/**
 * A piece of SQL and the values bound in it: `parts[0]`, value, `parts[1]`, value, … There is one more part
 * than values. Parts are ours; whatever a user wrote is among the values. The two members are the arguments
 * of a template's tag, so that Kysely's is called as `sql<boolean>(parts, ...values)`.
 */
export interface SqlFragment {
  readonly parts: TemplateStringsArray;
  readonly values: readonly SqlValue[];
}

/** The fragment's text for SQLite, each value a `?`. */
export function withQuestionMarks({ parts }: SqlFragment): string {
  return parts.join('?');
}

/** The fragment's text for PostgreSQL, its values numbered `$1`, `$2`, … from `first` on. */
export function withNumbers({ parts }: SqlFragment, first = 1): string {
  return parts.reduce((text, part, at) => `${text}$${first + at - 1}${part}`);
}

/**
 * Tag of a template that is SQL: a fragment in it is spliced in, a string or a number becomes a bound value.
 * So a value cannot become SQL.
 */
export function sql(
  template: TemplateStringsArray,
  ...holes: readonly (SqlFragment | SqlValue)[]
): SqlFragment {
  const parts = [template[0] ?? ''];
  const values: SqlValue[] = [];
  function append(text: string): void {
    parts.push(`${parts.pop()}${text}`);
  }
  holes.forEach((hole, at) => {
    if (typeof hole === 'object') {
      hole.parts.forEach((part, index) => {
        if (index === 0) append(part);
        else parts.push(part);
      });
      for (const value of hole.values) values.push(value);
    } else {
      values.push(hole);
      parts.push('');
    }
    append(template[at + 1] ?? '');
  });
  return fragment(parts, values);
}

/**
 * An identifier of ours as a fragment: names of tables and columns, never a user's text.
 *
 * @throws {TypeError} unless it is made of lower-case ASCII letters, digits and `_`.
 */
export function identifier(name: string): SqlFragment {
  if (!/^[a-z_][a-z0-9_]*$/.test(name)) throw new TypeError(`not an SQL identifier: ${name}`);
  return fragment([name], []);
}

function fragment(parts: readonly string[], values: readonly SqlValue[]): SqlFragment {
  return { parts: Object.assign([...parts], { raw: parts }), values };
}
