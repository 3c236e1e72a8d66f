import { en } from '../translations/en.ts';
import type { FailureName } from '../translations/strings.ts';

export interface Failure {
  readonly name: FailureName;
  readonly retriable: boolean;
  /** Seconds to wait before a retry, or `null` if the service sent no delay. */
  readonly seconds: number | null;
}

export const OFFLINE: Failure = { name: 'offline', retriable: true, seconds: null };

/**
 * Converts an error code of the service.
 *
 * @param otherwise the name to use for a code that has no message.
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

/** Reports whether the translations contain a message with this name. */
function isName(name: string): name is FailureName {
  return Object.hasOwn(en.failures, name);
}
