import type { Proven } from './caller.ts';

/** Makes a proven value: call it only where the check that the type stands for was just done. */
export function proven<T extends Proven>(checked: Omit<T, keyof Proven>): T {
  return checked as T;
}
