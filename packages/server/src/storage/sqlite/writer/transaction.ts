import type { SQLInputValue } from 'node:sqlite';
import { toError } from '../../../lib/threads/index.ts';
import type { StatementResult } from '../statements.ts';
import type { WriterLink } from './writer-link.ts';

/** An open transaction, which has the writer alone until it is committed or rolled back. */
export class Transaction {
  readonly #link: WriterLink;
  readonly #ended: () => void;

  /** @param ended is called when it is over, however it ended. */
  constructor(link: WriterLink, ended: () => void) {
    this.#link = link;
    this.#ended = ended;
  }

  async run(sql: string, parameters: readonly SQLInputValue[]): Promise<StatementResult> {
    const [result] = await this.#link.ask({ kind: 'step', sql, parameters });
    if (result === undefined) throw new Error('the writer gave no result');
    if (!result.ok) throw toError(result.failure);
    return result.value as StatementResult;
  }

  /** When it throws, the transaction has been rolled back. */
  async commit(): Promise<void> {
    await this.#end('commit');
  }

  async rollBack(): Promise<void> {
    await this.#end('rollback');
  }

  async #end(word: 'commit' | 'rollback'): Promise<void> {
    try {
      await this.#link.ask({ kind: 'end', word });
    } finally {
      this.#ended();
    }
  }
}
