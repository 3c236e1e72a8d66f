import { hash } from 'node:crypto';
import pg from 'pg';

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const UNKNOWN_NAME = '26000';
const NAME_TAKEN = '42P05';
const NOT_SUPPORTED = '0A000';

/**
 * Names under which a session of the server keeps what it made of a statement. A pooler in transaction mode that
 * knows nothing of names (PgBouncer before 1.21, or with `max_prepared_statements = 0`) gives each transaction another
 * session, in which a name is unknown, or taken by another client. The first such error ends all names.
 *
 * A name says which text it stands for, so that where it is known it means the same, whoever gave it.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  #areKept = true;

  /** Undefined where sessions do not keep them. */
  of(sql: string): string | undefined {
    if (!this.#areKept) return undefined;
    let name = this.#names.get(sql);
    if (name === undefined) {
      name = `gatehouse_${hash('sha256', sql, 'hex').slice(0, 32)}`;
      this.#names.set(sql, name);
    }
    return name;
  }

  /** Whether an error says that a name is not what it was; the statement was not run then, and from now on there are no names. */
  endedBy(error: unknown): boolean {
    const isEnd = error instanceof pg.DatabaseError && isOfNames(error);
    if (isEnd) this.#areKept = false;
    return isEnd;
  }
}

function isOfNames({ code, message }: pg.DatabaseError): boolean {
  if (code === UNKNOWN_NAME || code === NAME_TAKEN) return true;
  // A newer release changed a table meanwhile.
  return code === NOT_SUPPORTED && /cached plan/.test(message);
}
