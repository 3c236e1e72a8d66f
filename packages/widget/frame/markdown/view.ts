import type { Words } from '../translations/strings.ts';

/** What the elements of an answer need besides its text. The same object as long as none of it changes. */
export interface View {
  readonly words: Words;
  readonly sources: ReadonlyMap<number, { readonly title: string }>;
  readonly cite: (number: number) => void;
}
