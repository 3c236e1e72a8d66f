/**
 * Yields an error, its causes and the errors of each `AggregateError`, inner errors first. If several addresses fail, Node collects
 * their errors in an `AggregateError`.
 */
export function* errorChain(error: unknown): Generator<Error> {
  if (!(error instanceof Error)) return;
  yield error;
  if (error instanceof AggregateError) for (const inner of error.errors) yield* errorChain(inner);
  yield* errorChain(error.cause);
}
