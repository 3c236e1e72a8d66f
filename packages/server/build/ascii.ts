/**
 * Returns JavaScript with the same meaning that consists of ASCII characters. Other characters of strings, templates and regular
 * expressions become `\u` escapes. Do not use it for code in which `String.raw` or another reader of raw templates sees such characters.
 *
 * V8 stores a source text with two bytes per character if one character is not in Latin-1, and Node decodes it if one is not in ASCII.
 */
export function toAscii(code: string): string {
  return code.replace(
    /(\\*)([^\0-\x7f])/g,
    (_, backslashes: string, character: string) =>
      // An odd backslash escapes the character, which has no effect. It would escape the backslash of the new escape sequence.
      `${backslashes.length % 2 === 0 ? backslashes : backslashes.slice(1)}\\u${hex(character)}`,
  );
}

function hex(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, '0');
}
