import type { Kind } from './kinds.ts';

/** One setting: everything the reader, the documentation and the type know about it. */
export interface Declaration<T> {
  readonly variable: `GATEHOUSE_${string}`;
  /** What it does, for the documentation. */
  readonly words: string;
  readonly kind: Kind<T>;
  /** As text, read by the kind like a given one; `null`: there is no default and the value is `null`. */
  readonly default: string | null;
  /** What happens without it, where the default's text does not say it. */
  readonly defaultWords?: string;
  /** How to come by a value, told where one is missing that another setting needs. */
  readonly advice?: string;
}

/** Keeps the type of a setting's value. */
export function declare<T>(declaration: Declaration<T>): Declaration<T> {
  return declaration;
}
