import type { ReadonlySignal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { en } from '../translations/en.ts';
import type { Strings } from '../translations/strings.ts';

export const StringsContext = createContext<Pick<ReadonlySignal<Strings>, 'value'>>({ value: en });

export function useStrings(): Strings {
  return useContext(StringsContext).value;
}

/** Returns the language of the texts. The component renders again when another language has been loaded. */
export function useLanguage(): string {
  useStrings();
  return document.documentElement.lang;
}
