import { StorageUnavailable } from '../../ports/storage-error.ts';
import { isConnectionFailure } from './failure.ts';

/** Does what changes nothing, and once more where a connection was found broken. */
export async function readAgain<Answer>(read: () => Promise<Answer>): Promise<Answer> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof StorageUnavailable) || !isConnectionFailure(error.cause)) throw error;
    return read();
  }
}
