/** Invisible characters and characters that reorder text: format characters, fillers, tags, controls. */
const HIDDEN =
  /(?:(?![\t\n])[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u2800\uFFF9-\uFFFB])+/gu;
/** More than eight combining marks on one letter occur in no language and would overlap other lines. */
const PILED_MARKS = /(\p{M}{8})\p{M}+/gu;

/** Scripts in which joiners change the shape of letters or allow line breaks. */
const JOINING =
  /[\p{sc=Arab}\p{sc=Syrc}\p{sc=Mong}\p{sc=Nkoo}\p{sc=Deva}\p{sc=Beng}\p{sc=Guru}\p{sc=Gujr}\p{sc=Orya}\p{sc=Taml}\p{sc=Telu}\p{sc=Knda}\p{sc=Mlym}\p{sc=Sinh}\p{sc=Thai}\p{sc=Laoo}\p{sc=Tibt}\p{sc=Mymr}\p{sc=Khmr}]/u;
/** Hidden characters to keep at the start of a run, depending on the character before the run. */
const NEEDED: readonly (readonly [before: RegExp, kept: RegExp])[] = [
  [/\p{Extended_Pictographic}|\p{Emoji_Modifier}/u, /^[\uFE0E\uFE0F]?\u200D?/],
  [/\p{Emoji}/u, /^\uFE0F?/],
  [JOINING, /^[\u180B-\u180D\u200B-\u200D]?/],
  [/\p{sc=Han}/u, /^[\u{E0100}-\u{E01EF}]?/u],
];

/**
 * Removes characters that are invisible or can disguise text: bidirectional controls, tags, zero-width characters,
 * and control characters other than tab and line feed. Keeps the characters that emoji and joining scripts need.
 */
export function visible(text: string): string {
  return text.replace(HIDDEN, keepNeeded).replace(PILED_MARKS, '$1');
}

function keepNeeded(run: string, at: number, text: string): string {
  if (/[\p{Zl}\p{Zp}]/u.test(run)) return ' ';
  const before = lastCharacter(text.slice(Math.max(0, at - 2), at));
  const needed = NEEDED.find(([character]) => character.test(before));
  return needed?.[1].exec(run)?.[0] ?? '';
}

function lastCharacter(text: string): string {
  return Array.from(text).at(-1) ?? '';
}
