import { WidgetNotBuilt } from '../links/page/index.ts';
import { UnusableCredentials } from '../outbound/brokers/index.ts';
import { EXIT, OperatorFailure, operatorFailureOf } from '../platform/installation/index.ts';

/** Why the service could not start, if the operator can mend it; null for any other error. */
export function startFailureOf(error: unknown): OperatorFailure | null {
  if (error instanceof WidgetNotBuilt || error instanceof UnusableCredentials)
    return new OperatorFailure(EXIT.misconfigured, [error.message]);
  const { code, syscall, port } = error as { code?: string; syscall?: string; port?: number };
  if (syscall === 'listen')
    return new OperatorFailure(EXIT.tryLater, [
      `cannot listen on port ${port} (${code}); is another process using it?`,
    ]);
  return operatorFailureOf(error);
}
