import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds of work before other work of the process continues. */
const WORK_MS = 5;

/** Iterates with pauses, in which other work of the process continues. */
export async function* withPauses<T>(items: Iterable<T>): AsyncGenerator<T> {
  let pauseAt = performance.now() + WORK_MS;
  for (const item of items) {
    if (performance.now() > pauseAt) {
      await nextTurn();
      pauseAt = performance.now() + WORK_MS;
    }
    yield item;
  }
}

/** Returns consecutive parts of a text, with pauses. */
export function slicesOf(text: string, length: number): AsyncGenerator<string> {
  return withPauses(slices(text, length));
}

function* slices(text: string, length: number): Generator<string> {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length);
}
