import { connect } from 'node:net';
import pg from 'pg';
import { SerialisationFailure } from '../../lib/threads/index.ts';
import {
  isConnectionFailure,
  isTimeout,
  ReadOnlySession,
  toError,
  Unreachable,
} from './failure.ts';
import { retryRead } from './retry.ts';
import { StatementNames } from './statement-names.ts';

export interface PoolOptions {
  readonly url: string;
  readonly connections: number;
  /** Timeout of a statement in milliseconds. Default 8,000. `null` disables the timeout. */
  readonly answerWithinMs?: number | null;
  /** Receives errors of idle connections. */
  readonly onError: (error: unknown) => void;
}

export type Row = Record<string, unknown>;

export interface Result {
  readonly rows: Row[];
  /** Number of rows written or returned. */
  readonly count: number;
}

export interface RunOptions {
  /**
   * Prepares the statement under a name, so the server can reuse its plan. Use this option only for a fixed set of statement
   * texts.
   */
  readonly often?: boolean;
}

export interface Session {
  /**
   * Runs a statement. Rejects with errors of the storage ports. The timeout is enforced by the client, not by the server's
   * `statement_timeout`.
   */
  run(sql: string, parameters?: readonly unknown[], options?: RunOptions): Promise<Result>;
}

export interface Pool extends AsyncDisposable {
  run(sql: string, parameters?: readonly unknown[], options?: RunOptions): Promise<Result>;
  /** Runs one read-only statement and retries it if its connection is broken. */
  read(sql: string, parameters?: readonly unknown[], options?: RunOptions): Promise<Result>;
  /**
   * Reserves a connection while `work` runs. Afterwards rolls back a transaction that `work` left open, and discards the
   * connection if it is broken or `work` throws `ReadOnlySession`.
   */
  hold<T>(work: (session: Session) => Promise<T>): Promise<T>;
}

const CONNECT_WITHIN_MS = 5_000;
/**
 * Default statement timeout in milliseconds, enforced by the client. If the network drops all packets, the connection reports no
 * error for minutes. A timeout in the server would need a session setting, which poolers do not preserve.
 */
const ANSWER_WITHIN_MS = 8_000;
const IDLE_MS = 30_000;
/**
 * Milliseconds after which the server ends a transaction whose client sends no statement. If the machine of a replica loses power,
 * the server notices the broken connection only after two hours by default, and the locks would block all other replicas until then.
 */
const IDLE_IN_TRANSACTION_MS = 8_000;
const INT8 = 20;

/** Opens a pool of connections to a PostgreSQL server or to a pooler in transaction mode. No session state outlives a transaction. */
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
  pool.on('error', (error: Error & { client?: unknown }) => {
    // `pg` attaches the connection. The log would contain all of its members, including the key that cancels its statements.
    delete error.client;
    onError(error);
  });
  // A server that stops can end a connection in the packet in which the connection becomes ready, when the pool has removed its own
  // listener and `hold` has not added one yet. Without a listener, the `error` event would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
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

/** Begins a transaction that writes. The timeout is local to the transaction, because a pooler does not preserve session settings. */
export async function beginTransaction(session: Session, isolationLevel: string): Promise<void> {
  await session.run(
    `begin isolation level ${isolationLevel}; set local idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`,
  );
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
          // The server does not notice that the client is gone. A statement that waits for a lock would occupy its connection.
          if (isTimeout(error)) cancelStatement(client);
          broken ||= isConnectionFailure(error);
          throw toError(error);
        }
      },
    });
  } catch (error) {
    // Another session may accept writes, after a failover or a changed default.
    broken ||= error instanceof ReadOnlySession;
    throw error;
  } finally {
    if (!broken && client.getTransactionStatus() !== 'I') broken = await failsToRollBack(client);
    client.off('error', onError);
    client.release(broken);
  }
}

/**
 * Runs a named statement. If the session does not know the name, runs the statement again without a name. In a transaction, which
 * the error has already aborted, throws `SerialisationFailure` instead.
 */
async function runNamed(
  client: pg.PoolClient,
  names: StatementNames,
  statement: { readonly name: string; readonly text: string; readonly values: unknown[] },
): Promise<pg.QueryResult<Row>> {
  const isInTransaction = client.getTransactionStatus() === 'T';
  try {
    return await client.query<Row>(statement);
  } catch (error) {
    if (!names.invalidatedBy(error)) throw error;
    if (isInTransaction)
      throw new SerialisationFailure('the session does not have the prepared statement', {
        cause: error,
      });
    return client.query<Row>(statement.text, statement.values);
  }
}

async function failsToRollBack(client: pg.PoolClient): Promise<boolean> {
  return client.query('rollback').then(
    () => false,
    () => true,
  );
}

/** Parses `int8` as a JavaScript number. No stored value exceeds 2^53. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  return oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text');
}

/** Converts parameters for the client. Throws `TypeError` for unsupported types. */
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
  throw new TypeError(`a value of type ${typeof value} cannot be a parameter`);
}

/** https://www.postgresql.org/docs/current/protocol-message-formats.html#PROTOCOL-MESSAGE-FORMATS-CANCELREQUEST */
const CANCEL_REQUEST = 80_877_102;
const SEND_WITHIN_MS = 5_000;

/** Members of a `pg` client that its types omit. */
interface Connected {
  readonly processID?: number | null;
  readonly secretKey?: number | null;
  readonly host: string;
  readonly port: number;
}

/**
 * Asks the server to cancel the statement that a client is waiting for. Failures are ignored. The request contains no data, so it is
 * not encrypted, as in libpq before version 17.
 */
function cancelStatement(client: pg.PoolClient): void {
  const { processID, secretKey, host, port } = client as pg.PoolClient & Connected;
  if (typeof processID !== 'number' || typeof secretKey !== 'number') return;
  const request = Buffer.alloc(16);
  for (const [index, word] of [request.length, CANCEL_REQUEST, processID, secretKey].entries())
    request.writeInt32BE(word, index * 4);
  const socket = host.startsWith('/')
    ? connect(`${host}/.s.PGSQL.${port}`)
    : connect({ host, port });
  socket.unref();
  socket.on('error', () => {});
  socket.setTimeout(SEND_WITHIN_MS, () => socket.destroy());
  socket.end(request);
}
