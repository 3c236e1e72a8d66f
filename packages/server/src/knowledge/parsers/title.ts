import { MAX_TITLE_LENGTH } from '@gatehouse/contract';
import { normaliseLine } from './passages/normalise.ts';

/** Characters that change the direction of the text around a title. `normaliseLine` keeps some of them. */
const BIDIRECTIONAL = /\p{Bidi_Control}/gu;
/** Matches a text with at least one visible character. */
export const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}]/u;

/** Returns a title on one line of at most 500 characters, or null if the text has no visible characters. */
export function readTitleText(text: string): string | null {
  const line = normaliseLine(text.replace(BIDIRECTIONAL, ''));
  const title = [...line.slice(0, 2 * MAX_TITLE_LENGTH)].slice(0, MAX_TITLE_LENGTH).join('').trim();
  return VISIBLE.test(title) ? title.toWellFormed() : null;
}

/** Titles that programs write into the properties of a new document, in lower case. */
const PLACEHOLDERS = new Set(
  [
    'untitled untitled-document document doc new-document blank slide presentation title none null',
    'microsoft-word microsoft-word-document word-document powerpoint-presentation',
    'unbenannt ohne-titel dokument sans-titre sans-nom documento documento-sin-título sin-título',
  ]
    .join(' ')
    .split(' ')
    .map((title) => title.replaceAll('-', ' ')),
);
const PROGRAM_AND_FILE = /^microsoft (?:word|powerpoint|excel|office word) - /i;
const FILE_NAME =
  /^\S*\.(?:docx?|dotx?|odt|rtf|pdf|pptx?|xlsx?|indd|tex|dvi|ps|html?|txt|md|pages)$/i;
const FILE_NAME_AT_END = /\.(?:docx?|dotx?|odt|rtf|pdf|pptx?|xlsx?|indd|tex|dvi)$/i;

/**
 * Returns the title in the properties of a PDF or Word file, or null if the title is a placeholder or a file name, which
 * programs write without being asked.
 */
export function readTitleProperty(text: string): string | null {
  const title = readTitleText(text);
  if (title === null || PROGRAM_AND_FILE.test(title)) return null;
  if (FILE_NAME.test(title) || FILE_NAME_AT_END.test(title)) return null;
  return PLACEHOLDERS.has(title.toLowerCase().replace(/[\s_()\d-]+$/, '')) ? null : title;
}
