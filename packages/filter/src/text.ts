import { limits } from './limits.ts';

/** Why a string may not stand in a filter, as a message, or undefined when it may. */
export function textProblem(text: string): string | undefined {
  if (isTooLong(text)) return `must have at most ${limits.characters} characters`;
  if (text.includes('\0')) return 'must not contain the character U+0000';
  if (!text.isWellFormed()) return 'must not contain half of a surrogate pair';
  return undefined;
}

export function isTooLong(text: string): boolean {
  // A code point is one or two units, so that most strings need no counting, a huge one least of all.
  if (text.length <= limits.characters) return false;
  if (text.length > 2 * limits.characters) return true;
  return Array.from(text).length > limits.characters;
}
