import pg from 'pg';
import { SerialisationFailure } from '../../lib/threads/index.ts';
import { isConnectionFailure, toError, Unreachable } from './failure.ts';
import { retryRead } from './retry.ts';
import { StatementNames } from './statement-names.ts';

export interface PoolOptions {
  readonly url: string;
  /** How many connections there may be at once. */
  readonly connections: number;
  /** So long a statement may take, milliseconds; `ANSWER_WITHIN_MS` when it is not given, null: any time. */
  readonly answerWithinMs?: number | null;
  /** Hears of idle connections that broke. */
  readonly onError: (error: unknown) => void;
}

export type Row = Record<string, unknown>;

export interface Result {
  readonly rows: Row[];
  /** Rows that were written, or found. */
  readonly count: number;
}

export interface RunOptions {
  /** The text is one of a few that are run often: the server keeps its plan. */
  readonly often?: boolean;
}

/** One connection, for as long as it is held. */
export interface Session {
  /** Rejects with the ports' errors. `statement_timeout` of the server is not set: see `ANSWER_WITHIN_MS`. */
  run(sql: string, parameters?: readonly unknown[], options?: RunOptions): Promise<Result>;
}

export interface Pool extends AsyncDisposable {
  /** Runs one statement, which is a transaction of its own. */
  run(sql: string, parameters?: readonly unknown[], options?: RunOptions): Promise<Result>;
  /** The same of a statement that changes nothing: it is asked again where a connection was found broken. */
  read(sql: string, parameters?: readonly unknown[], options?: RunOptions): Promise<Result>;
  /** Holds a connection while `work` runs. One that broke is thrown away, and a transaction that is left open is rolled back. */
  hold<T>(work: (session: Session) => Promise<T>): Promise<T>;
}

/** So long it may take until a connection is there. */
const CONNECT_WITHIN_MS = 5_000;
/**
 * So long a statement may take. A network that swallows everything gives no error for minutes; the server's
 * own limits would need a setting of the session, which poolers do not keep.
 */
const ANSWER_WITHIN_MS = 8_000;
const IDLE_MS = 30_000;
const INT8 = 20;

/** Connections to a PostgreSQL server, or to a pooler in transaction mode: they rely on nothing that lasts longer than a transaction. */
export function openPool(options: PoolOptions): Pool {
  const { url, connections, onError, answerWithinMs = ANSWER_WITHIN_MS } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    ...(answerWithinMs === null ? {} : { query_timeout: answerWithinMs }),
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    application_name: 'gatehouse',
    types: { getTypeParser },
  });
  pool.on('error', onError);
  const names = new StatementNames();
  const run: Pool['run'] = (sql, parameters, runOptions) =>
    hold(pool, names, (session) => session.run(sql, parameters, runOptions));
  return {
    run,
    read: (sql, parameters, runOptions) => retryRead(() => run(sql, parameters, runOptions)),
    hold: (work) => hold(pool, names, work),
    [Symbol.asyncDispose]: () => pool.end(),
  };
}

async function hold<T>(
  pool: pg.Pool,
  names: StatementNames,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const client = await pool.connect().catch((cause: unknown) => {
    throw new Unreachable(cause);
  });
  let broken = false;
  // While it is held, nobody else listens: unheard, it would end the process.
  const onError = () => {
    broken = true;
  };
  client.on('error', onError);
  try {
    return await work({
      run: async (text, parameters = [], { often = false } = {}) => {
        try {
          const values = toPostgres(parameters);
          const name = often ? names.of(text) : undefined;
          const { rows, rowCount } =
            name === undefined
              ? await client.query<Row>(text, values)
              : await runNamed(client, names, { name, text, values });
          return { rows, count: rowCount ?? 0 };
        } catch (error) {
          broken ||= isConnectionFailure(error);
          throw toError(error);
        }
      },
    });
  } finally {
    if (!broken && client.getTransactionStatus() !== 'I') broken = await cannotRollBack(client);
    client.off('error', onError);
    client.release(broken);
  }
}

/** Runs it without its name where that is not kept; in a transaction, which is broken then, throws `SerialisationFailure`. */
async function runNamed(
  client: pg.PoolClient,
  names: StatementNames,
  statement: { readonly name: string; readonly text: string; readonly values: unknown[] },
): Promise<pg.QueryResult<Row>> {
  const isInTransaction = client.getTransactionStatus() === 'T';
  try {
    return await client.query<Row>(statement);
  } catch (error) {
    if (!names.endedBy(error)) throw error;
    if (isInTransaction)
      throw new SerialisationFailure('the statement has no name here', { cause: error });
    return client.query<Row>(statement.text, statement.values);
  }
}

async function cannotRollBack(client: pg.PoolClient): Promise<boolean> {
  return client.query('rollback').then(
    () => false,
    () => true,
  );
}

/** Whole numbers as JavaScript's: none of ours is beyond 2^53. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  return oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text');
}

/** A query's parameters as the client takes them. Throws `TypeError` for a value that has no one meaning. */
function toPostgres(parameters: readonly unknown[]): unknown[] {
  return parameters.map(toValue);
}

function toValue(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string' || typeof value === 'number') return value;
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (Array.isArray(value)) return value.map(toValue);
  throw new TypeError(`a ${typeof value} cannot be a parameter`);
}
