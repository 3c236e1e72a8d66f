import type { Kind } from './kinds.ts';

const MAX_NAME_LENGTH = 200;
const MAX_KEY_LENGTH = 4096;

/** The name of a model, as its API takes it. */
export const modelName: Kind<string> = {
  words: `1 to ${MAX_NAME_LENGTH} letters, digits and other printable ASCII characters, without spaces`,
  secret: false,
  parse: (text) =>
    isPrintable(text) && text.length <= MAX_NAME_LENGTH
      ? { value: text }
      : {
          problem: `must be 1 to ${MAX_NAME_LENGTH} printable ASCII characters without spaces`,
        },
};

/** A key that is sent in a header: refused here, where the problem does not repeat it as a failing request might. */
export const modelKey: Kind<string> = {
  words: 'printable ASCII characters without spaces',
  secret: false,
  parse: (text) =>
    isPrintable(text) && text.length <= MAX_KEY_LENGTH
      ? { value: text }
      : { problem: 'must be printable ASCII characters without spaces' },
};

const MAX_PRICE = 1_000_000;

/** What an API asks for a million tokens, without a currency. */
export const price: Kind<number> = {
  words: `decimal number from 0 to ${MAX_PRICE}, with at most six decimals`,
  secret: false,
  parse: (text) => {
    const value = /^\d{1,7}(?:\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
    return value <= MAX_PRICE
      ? { value }
      : { problem: `must be a decimal number from 0 to ${MAX_PRICE}, such as 2.5` };
  },
};

function isPrintable(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
