import { en } from '../translations/en.ts';
import type { FailureName } from '../translations/strings.ts';

/** The reason why a request failed. */
export interface Failure {
  readonly name: FailureName;
  /** Reports whether a retry may succeed. */
  readonly retriable: boolean;
  /** Seconds to wait before a retry, or `null` if the service sent none. */
  readonly seconds: number | null;
}

export const OFFLINE: Failure = { name: 'offline', retriable: true, seconds: null };

/**
 * Converts an error code of the service.
 *
 * @param otherwise the name for a code that has no message of its own.
 */
export function failureOf(
  code: unknown,
  retriable: boolean,
  seconds: number | null = null,
  otherwise: FailureName = retriable ? 'other' : 'answer-refused',
): Failure {
  const name = /^chat\.(.*)/.exec(String(code))?.[1] ?? '';
  return { name: isName(name) ? name : otherwise, retriable, seconds };
}

export function isFailure(value: object): value is Failure {
  return 'retriable' in value && 'name' in value;
}

/** All translations have the same names. */
function isName(name: string): name is FailureName {
  return Object.hasOwn(en.failures, name);
}
