import { type SqlFragment, sql } from './fragment.ts';

/**
 * Whether a folded text matches a folded `like` pattern. SQLite's LIKE leaves ASCII's letter case aside, which
 * changes nothing for what is folded.
 *
 * It also takes U+FFFE and U+FFFF for U+FFFD. Where a pattern has one of the three, both sides have the first
 * two replaced by what no text can hold: the encoding of numbers that are beyond Unicode.
 */
export function sqliteLike(text: SqlFragment, pattern: string): SqlFragment {
  if (!/[\ufffd-\uffff]/.test(pattern)) return sql`${text} LIKE ${pattern} ESCAPE '\\'`;
  return sql`${apart(text)} LIKE ${apart(sql`${pattern}`)} ESCAPE '\\'`;
}

function apart(text: SqlFragment): SqlFragment {
  return sql`replace(replace(${text}, char(65534), CAST(x'f4908080' AS TEXT)), char(65535), CAST(x'f4908081' AS TEXT))`;
}
