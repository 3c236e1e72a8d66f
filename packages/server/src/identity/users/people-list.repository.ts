import { fold } from '@gatehouse/filter';
import { type SqlBool, sql } from 'kysely';

export interface PeopleListQuery {
  /** ID of the last person of the previous page. Null: the first page. */
  readonly after: string | null;
  readonly limit: number;
  /** Text that the name or the email address contains, in any letter case. Undefined: everybody. */
  readonly search: string | undefined;
}

interface PeopleRead {
  readonly after: string | null;
  readonly limit: number;
  /** Pattern for `hasPattern`. Null: everybody. */
  readonly pattern: string | null;
}

interface Person {
  readonly name: string;
  readonly email: string;
}

/** Number of rows that a search for a text with other characters than ASCII reads at once. */
const BATCH = 1000;

/**
 * Lists people by ID. SQL compares only the ASCII characters of the search, because SQLite ignores the case only of these. Checks the
 * rows that it finds again.
 */
export async function listPeople<Row extends Person & ({ id: string } | { user_id: string })>(
  { after, limit, search }: PeopleListQuery,
  read: (query: PeopleRead) => Promise<Row[]>,
): Promise<Row[]> {
  if (search === undefined) return read({ after, limit, pattern: null });
  const text = fold(search);
  const pattern = `%${text.replaceAll(/[^ -~]+|[%_\\]/g, '%')}%`;
  // Without other characters, each row of SQL matches.
  const batch = pattern === `%${text}%` ? limit : BATCH;
  const found: Row[] = [];
  for (let last = after; ; ) {
    const rows = await read({ after: last, limit: batch, pattern });
    found.push(
      ...rows.filter(({ name, email }) => [name, email].some((one) => fold(one).includes(text))),
    );
    const end = rows.at(-1);
    if (end === undefined || rows.length < batch || found.length >= limit)
      return found.slice(0, limit);
    last = 'id' in end ? end.id : end.user_id;
  }
}

/** Reports whether the name or the email address of a row of `users` in lower case has a pattern of `like`. */
export function hasPattern(pattern: string) {
  return sql<SqlBool>`(lower(users.name) like ${pattern} or users.email like ${pattern})`;
}
