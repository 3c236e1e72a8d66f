import { attributeStringFault } from './string.rules.ts';

/** Adds a fault to the problems of an event, which are null as long as there is none. */
export function note(
  problems: string[] | null,
  member: string,
  fault: string | null,
): string[] | null {
  return fault === null ? problems : addAll(problems, [`${member}: ${fault}`]);
}

export function addAll(problems: string[] | null, more: readonly string[]): string[] | null {
  return more.length === 0 ? problems : [...(problems ?? []), ...more];
}

/** @param plain whether the string is known to be printable ASCII. */
export function requiredString(value: unknown, plain: boolean): string | null {
  return value === undefined ? 'is required' : optionalString(value, plain);
}

/** @param plain whether the string is known to be printable ASCII. */
export function optionalString(value: unknown, plain: boolean): string | null {
  if (value === undefined) return null;
  if (typeof value !== 'string') return 'must be a string';
  if (value === '') return 'must not be empty';
  return plain ? null : attributeStringFault(value);
}

export function versionFault(value: unknown): string | null {
  if (value === '1.0') return null;
  return value === undefined ? 'is required' : 'must be "1.0"';
}
