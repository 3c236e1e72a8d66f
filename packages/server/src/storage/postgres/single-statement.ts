import type { CompiledQuery } from 'kysely';
import { isPrepared } from '../ports/prepared.ts';

export interface SingleStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/**
 * Combines inserts into one statement, which is atomic and needs one round trip instead of one per insert. Foreign keys are checked
 * at the end of the statement. Returns `null` unless all queries are prepared inserts: their texts contain no literals, so a `$`
 * is always a parameter.
 */
export function toSingleStatement(queries: readonly CompiledQuery[]): SingleStatement | null {
  if (!queries.every((query) => query.query.kind === 'InsertQueryNode' && isPrepared(query)))
    return null;
  const parameters: unknown[] = [];
  const texts = queries.map((query) => {
    const shift = parameters.length;
    parameters.push(...query.parameters);
    return query.sql.replace(/\$(\d+)/g, (_, number: string) => `$${Number(number) + shift}`);
  });
  const last = texts.pop();
  if (last === undefined) return null;
  const others = texts.map((text, index) => `write_${index} as (${text})`);
  return { sql: others.length === 0 ? last : `with ${others.join(', ')} ${last}`, parameters };
}
