import { StorageUnavailable } from '../../lib/threads/index.ts';
import { NewerSchema } from '../../storage/index.ts';
import { DatabaseUnavailable, UnusableDatabase } from '../../storage/ports/index.ts';
import { DirectoryInUse } from '../../storage/sqlite/index.ts';
import { UnusableSecret } from '../secrets/index.ts';
import { EXIT } from './exit-codes.ts';
import { explainStorageFailure, type FailurePaths } from './storage-causes.ts';

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

/**
 * Returns the failure for the operator, or `null` if the operator cannot fix the error.
 *
 * @param paths the paths to name if the error contains no path.
 */
export function operatorFailureOf(error: unknown, paths: FailurePaths): OperatorFailure | null {
  if (error instanceof OperatorFailure) return error;
  if (error instanceof NewerSchema || error instanceof UnusableDatabase)
    return new OperatorFailure(EXIT.misconfigured, [error.message]);
  if (error instanceof DirectoryInUse || error instanceof DatabaseUnavailable)
    return new OperatorFailure(EXIT.tryLater, [error.message]);
  const explained = explainStorageFailure(error, paths);
  if (explained !== null) return new OperatorFailure(explained.exitCode, [explained.problem]);
  if (error instanceof UnusableSecret)
    return new OperatorFailure(EXIT.misconfigured, [error.message]);
  if (error instanceof StorageUnavailable)
    return new OperatorFailure(EXIT.tryLater, [`${wordsOf(error)}; try again`]);
  return null;
}

/** Returns the engine's message, which contains no values and no password. */
function wordsOf({ message, cause }: StorageUnavailable): string {
  return cause instanceof Error && cause.message !== '' ? `${message}: ${cause.message}` : message;
}
