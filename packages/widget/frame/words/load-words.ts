import { en } from './en.ts';
import type { Words } from './words.ts';

export type Language = 'en';
export function pickLanguage(_: readonly (string | null)[]): Language {
  return 'en';
}
export async function loadWords(_: Language): Promise<Words> {
  return en;
}
export function direction(_: Language): 'ltr' | 'rtl' {
  return 'ltr';
}
