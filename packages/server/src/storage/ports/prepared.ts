import type { CompiledQuery, Kysely } from 'kysely';
import type { Write } from './transactions.ts';

type Value = string | number | null | Uint8Array;

class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Compiles a query once, for hot paths: compiling takes about 30 µs, often longer than running the query. Each
 * property of `build`'s parameter is a placeholder that every call fills with a value.
 *
 * @param build must use a placeholder only where Kysely accepts a parameter, and must not inspect it.
 *
 * @example
 * const findKey = prepare(db, ({ hash }: { hash: string }) =>
 *   db.selectFrom('api_keys').select('id').where('key_hash', '=', hash));
 * const [key] = await findKey({ hash });
 */
export function prepare<Tables, Values extends Readonly<Record<string, Value>>, Row>(
  db: Kysely<Tables>,
  build: (placeholders: Values) => { compile(): CompiledQuery<Row> },
): (values: Values) => Promise<readonly Row[]> {
  const fill = compileOnce(build);
  return async (values) => (await db.executeQuery<Row>(fill(values))).rows;
}

/**
 * Compiles a write once. The returned function creates a write that can join a transaction.
 *
 * @param build see `prepare`.
 */
export function prepareWrite<Values extends Readonly<Record<string, Value>>>(
  build: (placeholders: Values) => Write,
): (values: Values) => Write {
  const fill = compileOnce(build);
  return (values) => ({ compile: () => fill(values) });
}

function compileOnce<Values extends Readonly<Record<string, Value>>, Row>(
  build: (placeholders: Values) => { compile(): CompiledQuery<Row> },
): (values: Values) => PreparedQuery<Row> {
  const compiled = build(placeholders<Values>()).compile();
  return (values) => {
    const parameters = compiled.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name] : parameter,
    );
    return { ...compiled, parameters, isPrepared: true };
  };
}

/** A query from `prepare`. An engine may cache the prepared statement by its SQL text. */
interface PreparedQuery<Row> extends CompiledQuery<Row> {
  readonly isPrepared: true;
}

export function isPrepared(query: CompiledQuery): boolean {
  return 'isPrepared' in query;
}

function placeholders<Values>(): Values {
  return new Proxy({}, { get: (_target, name) => new Placeholder(String(name)) }) as Values;
}
