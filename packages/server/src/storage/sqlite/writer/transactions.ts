import type { SQLInputValue } from 'node:sqlite';
import { toError } from '../../../lib/threads/index.ts';
import type { StatementResult } from '../statements.ts';
import type { WriterLink } from './writer-link.ts';

/** Maximum number of transactions that share a commit. */
const MAX_SHARING = 16;
/** Time in milliseconds after which no further transaction joins a commit. Events wait until the commit. */
const MAX_SHARED_MS = 10;

interface Waiting {
  readonly started: PromiseWithResolvers<Transaction>;
  readonly onEnd: () => void;
}

/** Resolves or rejects when the writes of an ended transaction are on disk. */
type Commit = PromiseWithResolvers<void>;

/**
 * Interactive transactions. They run one after the other, and transactions that wait at the same time share an fsync:
 *
 *   begin ──▶ steps ──commit, nobody waits──▶ commit: all transactions are acknowledged
 *     ▲                │
 *     │      commit, others wait: the writes stay in the open transaction
 *     └────────────────┘
 *
 * From the second on, transactions are savepoints, so that each of them can be rolled back alone. If the commit fails, all of them
 * fail.
 */
export class TransactionQueue {
  readonly #link: WriterLink;
  readonly #waiting: Waiting[] = [];

  constructor(link: WriterLink) {
    this.#link = link;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /**
   * Resolves when the transaction has started.
   *
   * @param onEnd called when the transaction has ended or could not start.
   */
  begin(onEnd: () => void): Promise<Transaction> {
    const started = Promise.withResolvers<Transaction>();
    this.#waiting.push({ started, onEnd });
    return started.promise;
  }

  /** Runs waiting transactions until they are committed. Never rejects, because the transactions report their failures. */
  async runSome(): Promise<void> {
    const commits: Commit[] = [];
    const end = performance.now() + MAX_SHARED_MS;
    const mayShare = () =>
      this.#waiting.length > 0 && commits.length + 1 < MAX_SHARING && performance.now() < end;
    try {
      let ending = FAILED;
      do {
        const waiting = this.#waiting.shift();
        if (waiting === undefined) break;
        ending = await this.#run(waiting.started, commits.length > 0, mayShare);
        waiting.onEnd();
        if (ending.commit !== null) commits.push(ending.commit);
      } while (ending.mayContinue && commits.length > 0 && mayShare());
      if (commits.length > 0 && !ending.isCommitted) await this.#link.ask({ kind: 'commit' });
      for (const { resolve } of commits) resolve();
    } catch (error) {
      for (const { reject } of commits) reject(error);
    }
  }

  async #run(
    started: PromiseWithResolvers<Transaction>,
    isShared: boolean,
    mayShare: () => boolean,
  ): Promise<Ending> {
    try {
      await this.#link.ask({ kind: 'begin', isShared });
    } catch (error) {
      started.reject(error);
      return FAILED;
    }
    const ended = Promise.withResolvers<Ending>();
    started.resolve(new Transaction(this.#link, { isShared, mayShare, onEnd: ended.resolve }));
    return ended.promise;
  }
}

interface Ending {
  /** The commit that the transaction waits for. Null if the transaction was rolled back. */
  readonly commit: Commit | null;
  readonly isCommitted: boolean;
  /** `false` after a failure that may have rolled back earlier transactions, too. */
  readonly mayContinue: boolean;
}

const FAILED: Ending = { commit: null, isCommitted: false, mayContinue: false };

interface TransactionOptions {
  /** `true`: the open transaction contains writes of earlier transactions. */
  readonly isShared: boolean;
  /** Reports whether another transaction is going to share the commit. */
  readonly mayShare: () => boolean;
  readonly onEnd: (ending: Ending) => void;
}

/** A transaction that has started. Until it ends, all other writes wait. */
export class Transaction {
  readonly #link: WriterLink;
  readonly #options: TransactionOptions;

  constructor(link: WriterLink, options: TransactionOptions) {
    this.#link = link;
    this.#options = options;
  }

  async run(sql: string, parameters: readonly SQLInputValue[]): Promise<StatementResult> {
    const [result] = await this.#link.ask({ kind: 'step', sql, parameters });
    if (result === undefined) throw new Error('the writer thread returned no result');
    if (!result.ok) throw toError(result.failure);
    return result.value as StatementResult;
  }

  /** Commits. Resolves when the writes are on disk. If the commit fails, rolls back and throws. */
  async commit(): Promise<void> {
    const isCommitted = !this.#options.mayShare();
    await this.#end(isCommitted ? 'commit' : 'release');
    const commit: Commit = Promise.withResolvers();
    this.#options.onEnd({ commit, isCommitted, mayContinue: true });
    await commit.promise;
  }

  async rollBack(): Promise<void> {
    await this.#end(this.#options.isShared ? 'undo' : 'rollback');
    this.#options.onEnd({ commit: null, isCommitted: false, mayContinue: true });
  }

  async #end(action: 'commit' | 'release' | 'rollback' | 'undo'): Promise<void> {
    try {
      await this.#link.ask({ kind: 'end', action });
    } catch (error) {
      this.#options.onEnd(FAILED);
      throw error;
    }
  }
}
