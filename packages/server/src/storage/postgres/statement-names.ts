import { hash } from 'node:crypto';
import pg from 'pg';

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const UNKNOWN_NAME = '26000';
const NAME_TAKEN = '42P05';
const NOT_SUPPORTED = '0A000';

/**
 * Names of prepared statements. A pooler in transaction mode assigns a session to each transaction. If the pooler does not track
 * prepared statements (PgBouncer before 1.21, or with `max_prepared_statements = 0`), a name may be unknown or already taken in
 * that session. The first such error disables all names.
 *
 * A name is a hash of the statement text, so it identifies the same statement in every session.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  #areSupported = true;

  /** Returns the name for a statement, or `undefined` if names are disabled. */
  of(sql: string): string | undefined {
    if (!this.#areSupported) return undefined;
    let name = this.#names.get(sql);
    if (name === undefined) {
      name = `gatehouse_${hash('sha256', sql, 'hex').slice(0, 32)}`;
      this.#names.set(sql, name);
    }
    return name;
  }

  /**
   * Reports whether an error was caused by a statement name, and in this case disables all names. The server did not run the
   * statement.
   */
  invalidatedBy(error: unknown): boolean {
    const isInvalid = error instanceof pg.DatabaseError && isNameError(error);
    if (isInvalid) this.#areSupported = false;
    return isInvalid;
  }
}

function isNameError({ code, message }: pg.DatabaseError): boolean {
  if (code === UNKNOWN_NAME || code === NAME_TAKEN) return true;
  // A migration changed the table after the statement was prepared.
  return code === NOT_SUPPORTED && /cached plan/.test(message);
}
