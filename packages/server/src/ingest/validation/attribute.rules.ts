import {
  AUDIT_EVENT_PREFIX,
  CONVERSATION_EVENT_PREFIX,
  SUBSCRIPTION_EVENT_PREFIX,
  TOOL_EVENT_PREFIX,
} from '@gatehouse/contract';

/** Adds `problem` to `problems`. `null` means no problems, which avoids an allocation for valid events. */
export function note(
  problems: string[] | null,
  member: string,
  problem: string | null,
): string[] | null {
  return problem === null ? problems : addAll(problems, [`${member}: ${problem}`]);
}

export function addAll(problems: string[] | null, more: readonly string[]): string[] | null {
  return more.length === 0 ? problems : [...(problems ?? []), ...more];
}

/** @param plain `true` if the string is known to be printable ASCII. */
export function requiredString(value: unknown, plain: boolean): string | null {
  return value === undefined ? 'is required' : optionalString(value, plain);
}

/** @param plain `true` if the string is known to be printable ASCII. */
export function optionalString(value: unknown, plain: boolean): string | null {
  if (value === undefined) return null;
  if (typeof value !== 'string') return 'must be a string';
  if (value === '') return 'must not be empty';
  return plain ? null : attributeStringProblem(value);
}

/** Prefixes of the types of events that only the service itself emits. */
const RESERVED = [
  [AUDIT_EVENT_PREFIX, 'the audit'],
  [CONVERSATION_EVENT_PREFIX, 'conversations'],
  [SUBSCRIPTION_EVENT_PREFIX, 'subscriptions'],
  [TOOL_EVENT_PREFIX, 'tools of bots'],
] as const;

/**
 * Returns the problem with a `type`. Nobody can send an event that looks like one of the service itself.
 *
 * @param plain `true` if the string is known to be printable ASCII.
 */
export function requiredType(value: unknown, plain: boolean): string | null {
  const problem = requiredString(value, plain);
  if (problem !== null) return problem;
  const reserved = RESERVED.find(([prefix]) => String(value).startsWith(prefix));
  if (reserved === undefined) return null;
  const [prefix, owner] = reserved;
  return `must not start with ${prefix}, which is reserved for ${owner}; choose another type`;
}

/** Sources of events that only the service itself emits: those of crawls, of spaces and of the installation (`installationSource`). */
const RESERVED_SOURCE = /^urn:gatehouse:(?:crawl:|space:|[0-9a-f]{32}$)/;

/**
 * Creates the check of a `source`. Nobody can send an event with a source of the service itself: the event log would then ignore the
 * event of the service with the same `id` as a duplicate.
 *
 * @param check returns the problem with the URI, or `null`.
 */
export function createSourceCheck(check: (value: string) => string | null) {
  return (value: string): string | null =>
    RESERVED_SOURCE.test(value)
      ? 'must not be a source of the service itself; choose another source'
      : check(value);
}

export function versionProblem(value: unknown): string | null {
  if (value === '1.0') return null;
  return value === undefined ? 'is required' : 'must be "1.0"';
}

const SPACE = 0x20;
const DELETE = 0x7f;
const LAST_CONTROL = 0x9f;
const FIRST_SURROGATE = 0xd800;

/**
 * Returns the problem with the string of an attribute, or `null` if it is valid. Control characters, lone surrogates
 * and noncharacters are not allowed (CloudEvents 1.0, type system).
 */
export function attributeStringProblem(value: string): string | null {
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    if (code < SPACE || (code >= DELETE && (code <= LAST_CONTROL || code >= FIRST_SURROGATE))) {
      return describeProblem(value);
    }
  }
  return null;
}

/** Returns the problem with a string that is stored in its own column, or `null` if it is valid. */
export function storedStringProblem(value: string): string | null {
  if (value.includes('\0')) return 'must not contain U+0000';
  return value.isWellFormed() ? null : 'must not contain a lone surrogate';
}

const FORBIDDEN = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u;

function describeProblem(value: string): string | null {
  const found = FORBIDDEN.exec(value);
  if (found === null) return null;
  const code = found[0].codePointAt(0) ?? 0;
  return `must not contain ${kindOf(code)} (U+${hex(code)} at position ${found.index})`;
}

function kindOf(code: number): string {
  if (code <= LAST_CONTROL) return 'a control character';
  return code >= FIRST_SURROGATE && code <= 0xdfff ? 'a lone surrogate' : 'a noncharacter';
}

function hex(code: number): string {
  return code.toString(16).toUpperCase().padStart(4, '0');
}
