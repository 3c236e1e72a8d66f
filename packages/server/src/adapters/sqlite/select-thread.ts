import type { SQLInputValue } from 'node:sqlite';
import { answerQuestions } from './answering.ts';
import { type StatementResult, Statements } from './statements.ts';

export interface Select {
  readonly sql: string;
  readonly parameters: readonly SQLInputValue[];
}

answerQuestions((db) => {
  const statements = new Statements(db);
  return ({ sql, parameters }: Select): StatementResult => statements.run(sql, parameters);
});
