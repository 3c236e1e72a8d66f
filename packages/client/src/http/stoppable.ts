import type { StreamOptions } from '../options.ts';

type Stream<T> = AsyncGenerator<T, void, undefined>;

/**
 * Returns a stream whose `return` and `throw` take effect at once. Those of a generator wait until a pending `next` has settled, so a
 * stream without messages would keep its connection, for example after `ReadableStream.from(stream).cancel()`.
 *
 * @param start creates the generator, whose signal also aborts when the stream is stopped.
 */
export function stoppable<T>(
  options: StreamOptions | undefined,
  start: (options: StreamOptions) => Stream<T>,
): Stream<T> {
  const stop = new AbortController();
  const signals = [stop.signal, options?.signal].filter((signal) => signal !== undefined);
  const stream = start({ ...options, signal: AbortSignal.any(signals) });
  const next = stream.next.bind(stream);
  const end = stream.return.bind(stream);
  const fail = stream.throw.bind(stream);
  return Object.assign(stream, {
    async next(): Promise<IteratorResult<T, void>> {
      try {
        return await next();
      } catch (error) {
        if (stop.signal.aborted) return { done: true, value: undefined };
        throw error;
      }
    },
    return(): Promise<IteratorResult<T, void>> {
      stop.abort();
      return end();
    },
    throw(error: unknown): Promise<IteratorResult<T, void>> {
      stop.abort();
      return fail(error);
    },
  });
}
