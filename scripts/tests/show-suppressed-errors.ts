/**
 * Preloaded into the processes of the tests. If a test fails and then the disposal of its resources fails, the failure is
 * a `SuppressedError` that contains both errors. Node sends only the message, the stack and the cause of an error to the
 * reporter, so this module chains both errors as causes.
 */
import { isMainThread } from 'node:worker_threads';

// Threads inherit the preloaded module, but report no tests.
if (isMainThread && process.env['NODE_TEST_CONTEXT'] !== undefined) {
  const { afterEach } = await import('node:test');
  afterEach((context) => {
    if ('error' in context) chainCauses(context.error?.cause);
  });
}

function chainCauses(failure: unknown): void {
  if (!(failure instanceof SuppressedError)) return;
  const { suppressed, error } = failure;
  chainCauses(suppressed);
  chainCauses(error);
  failure.cause = suppressed;
  const last = lastCause(suppressed);
  if (last instanceof Error) last.cause = error;
}

function lastCause(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? lastCause(error.cause) : error;
}
