import { NewerSchema } from '../../storage/index.ts';
import { DatabaseUnavailable, UnusableDatabase } from '../../storage/ports/index.ts';
import { DirectoryInUse } from '../../storage/sqlite/index.ts';
import { UnusableSecret } from '../secrets/index.ts';

/** Exit codes of sysexits.h: https://man.freebsd.org/cgi/man.cgi?sysexits */
export const EXIT = {
  done: 0,
  wrongUse: 64,
  failed: 70,
  tryLater: 75,
  misconfigured: 78,
} as const;

/** A failure that the operator can fix. It has one line per problem and an exit code. */
export class OperatorFailure extends Error {
  override readonly name = 'OperatorFailure';
  readonly exitCode: number;
  readonly problems: readonly string[];

  constructor(exitCode: number, problems: readonly string[]) {
    super(problems.join('\n'));
    this.exitCode = exitCode;
    this.problems = problems;
  }
}

/** Returns the failure for the operator, or `null` if the operator cannot fix the error. */
export function operatorFailureOf(error: unknown): OperatorFailure | null {
  if (error instanceof OperatorFailure) return error;
  if (
    error instanceof NewerSchema ||
    error instanceof UnusableDatabase ||
    error instanceof UnusableSecret
  )
    return new OperatorFailure(EXIT.misconfigured, [error.message]);
  if (error instanceof DirectoryInUse || error instanceof DatabaseUnavailable)
    return new OperatorFailure(EXIT.tryLater, [error.message]);
  return null;
}
