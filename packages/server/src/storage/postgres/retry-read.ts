import { StorageUnavailable } from '../../lib/threads/index.ts';
import { isConnectionFailure, Unreachable } from './failure.ts';

/** When a server ends connections it ends all: those that nobody used meanwhile are found one by one, each in no time. */
const FOR_MS = 250;

/** Does what changes nothing, and again, once at least, where a connection was found broken. */
export async function retryRead<Answer>(read: () => Promise<Answer>): Promise<Answer> {
  let until: number | undefined;
  for (;;)
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof StorageUnavailable) || !isConnectionFailure(error.cause)) throw error;
      const now = performance.now();
      // A server that is away is not asked over and over.
      if (until !== undefined && (now > until || error instanceof Unreachable)) throw error;
      until ??= now + FOR_MS;
    }
}
