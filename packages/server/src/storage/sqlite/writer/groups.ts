import type { DatabaseSync } from 'node:sqlite';
import type { Appended } from '../../ports/event-store.ts';
import type { EventLog } from '../event-log/event-log.ts';
import { type StatementResult, toFailure } from '../statements.ts';
import type { DurableLog } from './durable-log.ts';
import type { Group, Job, JobResult, Statement } from './writer-messages.ts';

/** Groups after a failed job that run with a savepoint per job. A failure then costs at most one group per this number. */
const GUARDED_GROUPS = 64;
const NOTHING: StatementResult = { rows: [], changes: 0, insertId: null };

export interface GroupsOptions {
  readonly db: DatabaseSync;
  readonly log: DurableLog;
  /** Returns null until the schema is up to date. */
  readonly eventLog: () => EventLog | null;
  /** Executes a statement of a job. */
  readonly run: (statement: Statement) => StatementResult;
  /** Returns a group that has arrived in the meantime, or null. Called before each commit until it returns null. */
  readonly nextGroup: () => Group | null;
}

/**
 * Executes groups of jobs, each in one transaction with one fsync. A group that arrives during the transaction of another group is
 * executed in the same transaction, so that it waits for one fsync instead of two.
 */
export class Groups {
  readonly #db: DatabaseSync;
  readonly #log: DurableLog;
  readonly #eventLog: () => EventLog | null;
  readonly #run: (statement: Statement) => StatementResult;
  readonly #nextGroup: () => Group | null;
  /** Groups that still run with a savepoint per job, because a job of an earlier group failed. */
  #guarded = 0;

  constructor({ db, log, eventLog, run, nextGroup }: GroupsOptions) {
    this.#db = db;
    this.#log = log;
    this.#eventLog = eventLog;
    this.#run = run;
    this.#nextGroup = nextGroup;
  }

  /**
   * Executes the groups, and adds those that arrive before the commit to the list. Never throws. Returns one list of results per group, in
   * order. A job that violates a constraint fails without affecting other jobs. A disk failure fails all jobs. After any other
   * failure, the jobs run again in separate transactions, so that only the invalid job fails.
   *
   * A savepoint per job would copy every page that the job changes, so the jobs run without savepoints until one of them fails. The
   * transaction is then rolled back and runs again with savepoints, and so do the next ones, because a client may cause many failures.
   */
  execute(groups: Group[]): JobResult[][] {
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
      return groups.map(({ jobs }) => jobs.flatMap((job) => this.#executeAlone(job)));
    }
  }

  #executeAlone(job: Job): JobResult[] {
    try {
      return this.#commit([{ kind: 'group', jobs: [job] }], true, false).flat();
    } catch (error) {
      return [{ ok: false, failure: toFailure(error) }];
    }
  }

  #commit(groups: Group[], isGuarded: boolean, mayGrow = true): JobResult[][] {
    this.#log.ensure();
    this.#db.exec('begin immediate');
    try {
      const results: JobResult[][] = [];
      for (let at = 0; at < groups.length || (mayGrow && this.#addNext(groups)); at += 1)
        results.push((groups[at]?.jobs ?? []).map((job) => this.#runJob(job, isGuarded)));
      this.#db.exec('commit');
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

  #addNext(groups: Group[]): boolean {
    const next = this.#nextGroup();
    if (next !== null) groups.push(next);
    return next !== null;
  }

  #runJob(job: Job, isGuarded: boolean): JobResult {
    if (job.kind === 'append') return { ok: true, value: this.#append(job) };
    if (!isGuarded) return { ok: true, value: this.#runStatements(job) };
    try {
      const value =
        job.kind === 'statement'
          ? this.#run(job)
          : this.#inSavepoint(() => this.#runStatements(job));
      return { ok: true, value };
    } catch (error) {
      const failure = toFailure(error);
      if (failure.kind === 'unwritable' || !this.#db.isTransaction) throw error;
      return { ok: false, failure };
    }
  }

  /** Appends batches. A failure must roll back the whole transaction, because the batches of a job are atomic. */
  #append(job: Job & { kind: 'append' }): Appended {
    const eventLog = this.#eventLog();
    if (eventLog === null)
      throw new Error('the event log is not open; send `open-event-log` first');
    let stored = 0;
    for (const batch of job.batches) stored += eventLog.append(batch);
    return { stored };
  }

  #runStatements(job: Exclude<Job, { kind: 'append' }>): StatementResult {
    switch (job.kind) {
      case 'statement':
        return this.#run(job);
      case 'atomic':
        return this.#runAtomically(job.statements);
      case 'conditional':
        return this.#runIf(job.condition, job.statements);
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
    this.#db.exec('savepoint job');
    try {
      const result = work();
      this.#db.exec('release job');
      return result;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('rollback to job; release job');
      throw error;
    }
  }
}

/** Returns `true` if another attempt cannot have another result. */
function isFinal(error: unknown, groups: readonly Group[]): boolean {
  const jobs = groups.reduce((sum, group) => sum + group.jobs.length, 0);
  return toFailure(error).kind === 'unwritable' || jobs === 1;
}

function failed(groups: readonly Group[], error: unknown): JobResult[][] {
  const failure = toFailure(error);
  return groups.map(({ jobs }) => jobs.map(() => ({ ok: false, failure })));
}
