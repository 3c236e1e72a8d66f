const LONGEST_SHOWN = 80;

/**
 * Returns a member name for an error message. A short printable name is returned unchanged. Any other name is truncated to 80
 * characters, quoted and escaped.
 */
export function shownName(name: string): string {
  if (name.length <= LONGEST_SHOWN && /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(name)) return name;
  const cut = name.length > LONGEST_SHOWN ? `${name.slice(0, LONGEST_SHOWN)}…` : name;
  return JSON.stringify(cut).replace(/[^\P{C}]|[\p{Zl}\p{Zp}]/gu, escaped);
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`;
}
