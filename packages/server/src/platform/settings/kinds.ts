import { resolve } from 'node:path';
import { Secret } from './secret.ts';

/** What a variable's text was read as, or the words that follow the variable's name in a problem. */
export type Parsed<T> = { readonly value: T } | { readonly problem: string };

/** A kind of value: how it is documented and how it is read. Problems never repeat the text. */
export interface Kind<T> {
  /** For the documentation, after "Value:". */
  readonly words: string;
  /** The value may be shown nowhere. */
  readonly secret: boolean;
  readonly parse: (text: string) => Parsed<T>;
}

/** A whole number in plain decimal digits, both ends included. */
export function wholeNumber(min: number, max: number): Kind<number> {
  const words = `whole number from ${min} to ${max}`;
  return {
    words,
    secret: false,
    parse: (text) => {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? { value } : { problem: `must be a ${words}` };
    },
  };
}

/** A TCP port; 0 lets the system choose a free one. */
export const port: Kind<number> = {
  ...wholeNumber(0, 65_535),
  parse: (text) =>
    text.startsWith('tcp://')
      ? {
          problem:
            'is a link that Kubernetes made for a service named "gatehouse"; set enableServiceLinks: false in the pod',
        }
      : wholeNumber(0, 65_535).parse(text),
};

/** One of a few words, in this very spelling. */
export function oneOf<const T extends string>(...choices: readonly T[]): Kind<T> {
  return {
    words: choices.map((choice) => `\`${choice}\``).join(', '),
    secret: false,
    parse: (text) => {
      const value = choices.find((choice) => choice === text);
      return value === undefined ? { problem: `must be one of ${choices.join(', ')}` } : { value };
    },
  };
}

/** A directory, made absolute from the working directory. */
export const directory: Kind<string> = {
  words: 'path, relative to the working directory',
  secret: false,
  parse: (text) => ({ value: resolve(text) }),
};

/** A file, made absolute from the working directory. */
export const file: Kind<string> = directory;

/** A setting that may be left out: its value is then `null`. */
export function optional<T>(kind: Kind<T>): Kind<T | null> {
  return kind;
}

/** The same kind, its value wrapped so that nothing prints it. */
export function secret<T>(kind: Kind<T>): Kind<Secret<T>> {
  return {
    words: kind.words,
    secret: true,
    parse: (text) => {
      const parsed = kind.parse(text);
      return 'problem' in parsed ? parsed : { value: new Secret(parsed.value) };
    },
  };
}
