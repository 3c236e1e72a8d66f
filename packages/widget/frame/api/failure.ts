import { en } from '../translations/en.ts';
import type { FailureName } from '../translations/strings.ts';

/** Why a request got no answer that is of use. */
export interface Failure {
  readonly name: FailureName;
  /** Whether the same may work when it is tried again. */
  readonly retriable: boolean;
  /** To wait before; null: no particular time. */
  readonly seconds: number | null;
}

export const OFFLINE: Failure = { name: 'offline', retriable: true, seconds: null };

/**
 * A failure by the code of the service.
 *
 * @param otherwise for a code without words of its own.
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

/** English has words for each. */
function isName(name: string): name is FailureName {
  return Object.hasOwn(en.failures, name);
}
