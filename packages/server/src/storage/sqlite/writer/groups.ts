import type { DatabaseSync } from 'node:sqlite';
import type { Appended } from '../../ports/event-store.ts';
import type { EventLog } from '../event-log/event-log.ts';
import { type StatementResult, toFailure } from '../statements.ts';
import type { DurableLog } from './durable-log.ts';
import type { Group, Statement, Write, WriteResult } from './writer-messages.ts';

/** Groups after a failed write that run with a savepoint per write. A failure then costs at most one group per this number. */
const GUARDED_GROUPS = 64;
/** Weight of the newest commit in the usual time of a commit. */
const NEWEST_WEIGHT = 1 / 16;
const NOTHING: StatementResult = { rows: [], changes: 0, insertId: null };

export interface GroupsOptions {
  readonly db: DatabaseSync;
  readonly log: DurableLog;
  /** Returns null until the schema is up to date. */
  readonly eventLog: () => EventLog | null;
  /** Executes a statement of a write. */
  readonly run: (statement: Statement) => StatementResult;
  /** Returns a group that has arrived in the meantime, or null. Called before each commit until it returns null. */
  readonly nextGroup: () => Group | null;
}

/**
 * Executes groups of writes, each in one transaction with one fsync. A group that arrives during the transaction of another group is
 * executed in the same transaction, so that it waits for one fsync instead of two.
 */
export class Groups {
  readonly #db: DatabaseSync;
  readonly #log: DurableLog;
  readonly #eventLog: () => EventLog | null;
  readonly #run: (statement: Statement) => StatementResult;
  readonly #nextGroup: () => Group | null;
  /** Groups that still run with a savepoint per write, because a write of an earlier group failed. */
  #guarded = 0;
  #commitMs = 0;

  constructor({ db, log, eventLog, run, nextGroup }: GroupsOptions) {
    this.#db = db;
    this.#log = log;
    this.#eventLog = eventLog;
    this.#run = run;
    this.#nextGroup = nextGroup;
  }

  /** Usual time of a commit in milliseconds: a moving average. 0 before the first commit. */
  get commitMs(): number {
    return this.#commitMs;
  }

  /**
   * Executes the groups, and adds those that arrive before the commit to the list. Never throws. Returns one list of results per group, in
   * order. A write that violates a constraint fails without affecting other writes. A disk failure fails all writes. After any other
   * failure, the writes run again in separate transactions, so that only the invalid write fails.
   *
   * A savepoint per write would copy every page that the write changes, so the writes run without savepoints until one of them fails. The
   * transaction is then rolled back and runs again with savepoints, and so do the next ones, because a client may cause many failures.
   */
  execute(groups: Group[]): WriteResult[][] {
    if (this.#guarded === 0) {
      try {
        return this.#commit(groups, false);
      } catch (error) {
        if (isFinal(error, groups)) return failed(groups, error);
        this.#guarded = GUARDED_GROUPS;
      }
    } else this.#guarded -= 1;
    try {
      return this.#commit(groups, true);
    } catch (error) {
      if (isFinal(error, groups)) return failed(groups, error);
      return groups.map(({ writes }) => writes.flatMap((write) => this.#executeAlone(write)));
    }
  }

  #executeAlone(write: Write): WriteResult[] {
    try {
      return this.#commit([{ kind: 'group', writes: [write] }], true, false).flat();
    } catch (error) {
      return [{ ok: false, failure: toFailure(error) }];
    }
  }

  #commit(groups: Group[], isGuarded: boolean, mayGrow = true): WriteResult[][] {
    this.#log.ensure();
    this.#db.exec('begin immediate');
    try {
      const results: WriteResult[][] = [];
      for (let at = 0; at < groups.length || (mayGrow && this.#addNext(groups)); at += 1)
        results.push((groups[at]?.writes ?? []).map((write) => this.#runWrite(write, isGuarded)));
      this.#endTransaction();
      this.#eventLog()?.committed();
      return results;
    } catch (error) {
      this.#log.failed(error);
      this.#eventLog()?.rolledBack();
      // SQLite may have rolled back the transaction already, for example because the disk is full.
      if (this.#db.isTransaction) this.#db.exec('rollback');
      throw error;
    }
  }

  #endTransaction(): void {
    const start = performance.now();
    this.#db.exec('commit');
    this.#commitMs += (performance.now() - start - this.#commitMs) * NEWEST_WEIGHT;
  }

  #addNext(groups: Group[]): boolean {
    const next = this.#nextGroup();
    if (next !== null) groups.push(next);
    return next !== null;
  }

  #runWrite(write: Write, isGuarded: boolean): WriteResult {
    if (write.kind === 'append') return { ok: true, value: this.#append(write) };
    if (!isGuarded) return { ok: true, value: this.#runStatements(write) };
    try {
      const value =
        write.kind === 'statement'
          ? this.#run(write)
          : this.#inSavepoint(() => this.#runStatements(write));
      return { ok: true, value };
    } catch (error) {
      const failure = toFailure(error);
      if (failure.kind === 'unwritable' || !this.#db.isTransaction) throw error;
      return { ok: false, failure };
    }
  }

  /** Appends batches. A failure must roll back the whole transaction, because the batches of a write are atomic. */
  #append(write: Write & { kind: 'append' }): Appended {
    const eventLog = this.#eventLog();
    if (eventLog === null)
      throw new Error('the event log is not open; send `open-event-log` first');
    let stored = 0;
    for (const batch of write.batches) stored += eventLog.append(batch);
    return { stored };
  }

  #runStatements(write: Exclude<Write, { kind: 'append' }>): StatementResult {
    switch (write.kind) {
      case 'statement':
        return this.#run(write);
      case 'atomic':
        return this.#runAtomically(write.statements);
      case 'conditional':
        return this.#runIf(write.condition, write.statements);
    }
  }

  /** Returns a result without changes if the condition neither changes nor returns a row. */
  #runIf(condition: Statement, statements: readonly Statement[]): StatementResult {
    const { changes, rows } = this.#run(condition);
    const found = changes + rows.length;
    if (found > 0) for (const statement of statements) this.#run(statement);
    return { ...NOTHING, changes: found };
  }

  #runAtomically(statements: readonly Statement[]): StatementResult {
    let changes = 0;
    for (const statement of statements) changes += this.#run(statement).changes;
    return { ...NOTHING, changes };
  }

  #inSavepoint<Result>(work: () => Result): Result {
    this.#db.exec('savepoint one_write');
    try {
      const result = work();
      this.#db.exec('release one_write');
      return result;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('rollback to one_write; release one_write');
      throw error;
    }
  }
}

/** Returns `true` if another attempt cannot have another result. */
function isFinal(error: unknown, groups: readonly Group[]): boolean {
  const writes = groups.reduce((sum, group) => sum + group.writes.length, 0);
  return toFailure(error).kind === 'unwritable' || writes === 1;
}

function failed(groups: readonly Group[], error: unknown): WriteResult[][] {
  const failure = toFailure(error);
  return groups.map(({ writes }) => writes.map(() => ({ ok: false, failure })));
}
