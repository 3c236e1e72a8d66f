import { tidyLine } from './passages/tidy.ts';

/** What a document says about itself. */
export interface Facts {
  readonly title: string | null;
  readonly language: string | null;
}

const MAX_TITLE = 300;
/** The shape of BCP 47, not its registry. */
const LANGUAGE = /^[a-z]{2,8}(?:-[a-z0-9]{1,8}){0,5}$/i;

/** Null unless there is something to show. */
export function titleOf(text: string | null | undefined): string | null {
  const title = tidyLine(text ?? '')
    .slice(0, MAX_TITLE)
    .toWellFormed();
  return title === '' ? null : title;
}

/** Null unless it can be a language tag; Windows writes `de_DE`. */
export function languageOf(text: string | null | undefined): string | null {
  const language = (text ?? '').trim().replaceAll('_', '-');
  return LANGUAGE.test(language) ? language : null;
}
