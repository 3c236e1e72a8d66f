import type { Kind } from './kinds.ts';

export const SECRET_BYTES = 32;
export const SECRET_FORM = `${SECRET_BYTES} bytes in base64 or base64url`;

/** How to make one, for documentation and problems. */
export const MAKE_SECRET = 'openssl rand -base64 32';

/** The secret of the installation. */
export const installationSecret: Kind<Buffer> = {
  words: `${SECRET_BYTES} random bytes in base64 or base64url, as \`${MAKE_SECRET}\` makes them`,
  secret: false,
  parse: (text) => {
    const value = parseSecret(text);
    return value === undefined
      ? { problem: `must be ${SECRET_FORM}; make one with: ${MAKE_SECRET}` }
      : { value };
  },
};

/** Undefined when the text is not in this form to the letter. */
export function parseSecret(text: string): Buffer | undefined {
  const plain = text.replace(/=$/, '').replaceAll('+', '-').replaceAll('/', '_');
  const bytes = Buffer.from(plain, 'base64url');
  const whole = bytes.length === SECRET_BYTES && bytes.toString('base64url') === plain;
  return whole ? bytes : undefined;
}
