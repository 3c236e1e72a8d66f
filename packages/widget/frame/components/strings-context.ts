import type { ReadonlySignal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { en } from '../translations/en.ts';
import type { Words } from '../translations/strings.ts';

/** The language that the frame speaks now, for all parts of it. */
export const Spoken = createContext<Pick<ReadonlySignal<Words>, 'value'>>({ value: en });

export function useWords(): Words {
  return useContext(Spoken).value;
}
