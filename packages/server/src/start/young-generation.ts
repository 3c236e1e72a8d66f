import { setFlagsFromString } from 'node:v8';

/**
 * Off: V8 creates all objects in the young generation of the heap. On, which is V8's default: V8 creates the objects of a line of code in
 * the old generation if almost all earlier ones survived a collection of the young generation.
 */
export const PRETENURING_OPTION = 'allocation-site-pretenuring';

/**
 * Keeps V8 from creating objects of requests in the old generation. V8 starts to do so after a burst of about 150 connections, because all
 * their requests survive together. Each such object then keeps the other objects of its request alive until the next collection of
 * the whole heap, so collections take about six times as long.
 *
 * V8 has one setting for all threads. The setting invalidates code that V8 compiled before and did not load yet, so it is made at the end of the start.
 */
export function createObjectsYoung(): void {
  setFlagsFromString(`--no-${PRETENURING_OPTION}`);
}
