import type { Kind } from './kinds.ts';

/** Sign-in refuses longer passwords, so a longer one would make an account that nobody can enter. */
const MAX_PASSWORD_LENGTH = 128;
const MIN_PASSWORD_LENGTH = 12;
const MAX_EMAIL_LENGTH = 254;
const EMAIL = /^(?!\.)(?!.*\.\.)[a-z0-9_'+\-.]*[a-z0-9_+-]@([a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$/i;

/** An e-mail address of the form that sign-in accepts. */
export const email: Kind<string> = {
  words: 'e-mail address',
  secret: false,
  parse: (text) =>
    text.length <= MAX_EMAIL_LENGTH && EMAIL.test(text)
      ? { value: text }
      : { problem: 'must be an e-mail address such as admin@example.com' },
};

/** A password, kept exactly as given, spaces included. */
export const password: Kind<string> = {
  words: `${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`,
  secret: false,
  parse: (text) => {
    if ([...text].length < MIN_PASSWORD_LENGTH) {
      return { problem: `must have at least ${MIN_PASSWORD_LENGTH} characters` };
    }
    if (text.length > MAX_PASSWORD_LENGTH) {
      return { problem: `must have at most ${MAX_PASSWORD_LENGTH} characters` };
    }
    return { value: text };
  },
};

/** A database server's URL, which holds its password. */
export const databaseUrl: Kind<string> = {
  words: '`postgres://user:password@host:5432/database`',
  secret: false,
  parse: (text) =>
    /^postgres(ql)?:\/\//i.test(text) && URL.canParse(text)
      ? { value: text }
      : {
          problem:
            'must be a URL such as postgres://user:password@host:5432/database, or unset to use SQLite in the data directory; in a password, characters such as @ and / are written in percent-encoding',
        },
};
