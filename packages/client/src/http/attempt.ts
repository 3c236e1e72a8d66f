import { ConnectionError, GatehouseError, TimeoutError } from '../errors.ts';
import { toError } from './to-error.ts';

export interface Attempt<T> {
  /** Timeout in milliseconds until `read` has finished. `0`: none. */
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
  /** `true`: `signal` also cancels the body of the response, which is read after the attempt. */
  readonly streams: boolean;
  /** Creates the request. Its errors are thrown unchanged. */
  readonly prepare: () => Promise<RequestInit>;
  readonly fetch: (init: RequestInit) => Promise<Response>;
  readonly read: (response: Response) => Promise<T>;
  /** Called when the headers of a response have arrived. */
  readonly onResponse: (response: Response) => void;
}

/** Sends one request. Throws an `ApiError` for an unsuccessful status, and the reason of the signal if it is aborted. */
export async function attempt<T>(options: Attempt<T>): Promise<T> {
  const { timeout, signal, streams, prepare, fetch, read, onResponse } = options;
  signal?.throwIfAborted();
  const controller = new AbortController();
  const cancel = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', cancel);
  const timer =
    timeout > 0
      ? setTimeout(() => {
          controller.abort(new TimeoutError(`No complete response within ${timeout} ms.`));
        }, timeout)
      : undefined;
  let isSent = false;
  try {
    const init = await prepare();
    isSent = true;
    const response = await fetch({
      ...init,
      signal: streams && signal ? AbortSignal.any([signal, controller.signal]) : controller.signal,
    });
    onResponse(response);
    if (!response.ok) throw await toError(response);
    return await read(response);
  } catch (error) {
    if (controller.signal.aborted) throw controller.signal.reason;
    if (!isSent || error instanceof GatehouseError) throw error;
    throw new ConnectionError('The connection failed before a complete response arrived.', {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
}
