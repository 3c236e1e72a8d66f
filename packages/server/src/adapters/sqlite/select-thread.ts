import type { SQLInputValue } from 'node:sqlite';
import { StorageTooSlow } from '../../ports/storage-error.ts';
import { answerQuestions } from './answering.ts';
import { type StatementResult, Statements } from './statements.ts';

export interface Select {
  readonly sql: string;
  readonly parameters: readonly SQLInputValue[];
}

/** What one select may take where it asks for `in_time`. */
const TIME_LIMIT_MS = 2000;

answerQuestions((db) => {
  const statements = new Statements(db);
  let deadline = 0;
  // SQLite cannot be interrupted from here, but a condition that is asked row by row can fail.
  db.function('in_time', { varargs: true }, () => {
    if (performance.now() > deadline) throw new StorageTooSlow();
    return 1;
  });
  return ({ sql, parameters }: Select): StatementResult => {
    deadline = performance.now() + TIME_LIMIT_MS;
    return statements.run(sql, parameters);
  };
});
