import type { SQLInputValue } from 'node:sqlite';
import { type StatementResult, Statements } from '../statements.ts';
import { limitTime, serveReads } from './reader-thread.ts';

export interface Select {
  readonly sql: string;
  readonly parameters: readonly SQLInputValue[];
}

serveReads((db) => {
  const statements = new Statements(db);
  const startTimer = limitTime(db);
  return ({ sql, parameters }: Select): StatementResult => {
    startTimer();
    return statements.run(sql, parameters);
  };
});
