export type SqlValue = string | number;

/**
 * A piece of SQL and its bound values: `parts[0]`, value, `parts[1]`, value, and so on. There is one more part than
 * values. All user input is in `values`, never in `parts`. The members can be passed to any template tag. For example,
 * Kysely accepts a fragment as `sql<boolean>(parts, ...values)`.
 */
export interface SqlFragment {
  readonly parts: TemplateStringsArray;
  readonly values: readonly SqlValue[];
}

/** Returns the SQL text for SQLite, with `?` for each value. */
export function withQuestionMarks({ parts }: SqlFragment): string {
  return parts.join('?');
}

/** Returns the SQL text for PostgreSQL, with `$1`, `$2`, … for the values. The first number is `first`. */
export function withNumbers({ parts }: SqlFragment, first = 1): string {
  return parts.reduce((text, part, at) => `${text}$${first + at - 1}${part}`);
}

/**
 * Template tag that creates a fragment. Inserts fragments as SQL, and binds strings and numbers as values, so a value
 * can never become SQL.
 *
 * @example
 *   const inStock = sql`stock > ${0}`;
 *   sql`${inStock} AND name = ${userInput}`; // parts: ['stock > ', ' AND name = ', ''], values: [0, userInput]
 */
export function sql(
  template: TemplateStringsArray,
  ...substitutions: readonly (SqlFragment | SqlValue)[]
): SqlFragment {
  const parts = [template[0] ?? ''];
  const values: SqlValue[] = [];
  function append(text: string): void {
    parts.push(`${parts.pop()}${text}`);
  }
  substitutions.forEach((substitution, at) => {
    if (typeof substitution === 'object') {
      substitution.parts.forEach((part, index) => {
        if (index === 0) append(part);
        else parts.push(part);
      });
      for (const value of substitution.values) values.push(value);
    } else {
      values.push(substitution);
      parts.push('');
    }
    append(template[at + 1] ?? '');
  });
  return fragment(parts, values);
}

/**
 * Returns a table or column name as a fragment. The name must never be user input.
 *
 * @throws {TypeError} unless the name consists of lower-case ASCII letters, digits and `_`.
 */
export function identifier(name: string): SqlFragment {
  if (!/^[a-z_][a-z0-9_]*$/.test(name))
    throw new TypeError(`an SQL identifier must consist of a-z, 0-9 and _: ${name}`);
  return fragment([name], []);
}

function fragment(parts: readonly string[], values: readonly SqlValue[]): SqlFragment {
  return { parts: Object.assign([...parts], { raw: parts }), values };
}
