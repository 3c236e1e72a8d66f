/**
 * Returns JavaScript with the same meaning that consists of ASCII characters, because V8 keeps a source text with two bytes per
 * character if a single character is not in Latin-1. In strings, templates, regular expressions and names, other characters become
 * `\u` escapes.
 *
 * The meaning changes for functions that read raw templates. Throws if `String.raw` is called with such a character. Other functions
 * of this kind are not recognised.
 */
export function toAscii(code: string): string {
  const raw = /\bString\.raw`[^`]*[^\0-\x7f]/.exec(code);
  if (raw !== null) throw new Error(`cannot be written in ASCII: ${raw[0]}`);
  return code.replace(
    /(\\*)([^\0-\x7f])/g,
    (_, backslashes: string, character: string) =>
      // In `\ü`, the backslash has no effect. It is removed, because it would escape the backslash of the escape sequence.
      `${backslashes.length % 2 === 0 ? backslashes : backslashes.slice(1)}\\u${hex(character)}`,
  );
}

function hex(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, '0');
}
