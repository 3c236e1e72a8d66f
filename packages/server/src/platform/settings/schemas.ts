import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { UUID_PATTERN } from '@gatehouse/contract';
import { z } from 'zod';
import { MAKE_SECRET, parseSecret, SECRET_FORM, Secret } from '../secrets/index.ts';

// Each schema parses the value of one environment variable. In docs/configuration.md, the metadata `value` describes the accepted
// values. Error messages are printed after the name of the variable and a colon.

/**
 * Gives a setting a default string, which is parsed if the variable is not set.
 *
 * @param words describes the default in the documentation.
 */
export function withDefault<S extends z.ZodType>(schema: S, text: string, words = `\`${text}\``) {
  return z.prefault(schema, text as z.input<S>).meta({ default: words });
}

/** Makes a setting optional. If the variable is not set, the value is `null`. `otherwise` documents the effect of `null`. */
export function optional<S extends z.ZodType>(schema: S, otherwise: string) {
  return z.nullable(schema).default(null).meta({ default: otherwise });
}

/** Wraps the value in a `Secret`, which cannot be printed by accident. */
export function secret<S extends z.ZodType>(schema: S) {
  return schema.transform((value) => new Secret(value)).meta({ secret: true });
}

/** A whole number in decimal digits, from the minimum to the maximum, both included. */
export const integer = (min: number, max: number) =>
  decimal(/^\d{1,15}$/, min, max, `whole number from ${min} to ${max}`);

export const port = z
  .string()
  .refine((text) => !text.startsWith('tcp://'), {
    error:
      'was set by Kubernetes for a service named "gatehouse"; set enableServiceLinks: false in the pod',
    abort: true,
  })
  .pipe(integer(0, 65_535))
  .meta({ value: 'whole number from 0 to 65535' });

export const price = decimal(
  /^\d{1,7}(?:\.\d{1,6})?$/,
  0,
  1_000_000,
  'decimal number from 0 to 1000000, with at most six decimals',
);

export const ratio = decimal(/^\d(?:\.\d{1,6})?$/, 0, 1, 'decimal number from 0 to 1');

export const oneOf = <const T extends string>(...choices: readonly T[]) =>
  z.enum(choices, `must be one of ${choices.join(', ')}`).meta({
    value: choices.map((choice) => `\`${choice}\``).join(', '),
  });

export const path = z
  .string()
  .transform((text) => resolve(text))
  .meta({ value: 'path, relative to the working directory' });

/** The 32 bytes from which the keys of an installation are derived. */
export const installationSecret = z
  .string()
  .transform((text, context) => {
    const bytes = parseSecret(text);
    if (bytes === undefined)
      context.addIssue(`must be ${SECRET_FORM}; generate one with: ${MAKE_SECRET}`);
    return bytes ?? z.NEVER;
  })
  .meta({ value: `32 random bytes in base64 or base64url, as \`${MAKE_SECRET}\` generates them` });

/** An email address, validated as in sign-in. */
export const email = z
  .email('must be an email address such as admin@example.com')
  .max(254, 'must be an email address of at most 254 characters')
  .meta({ value: 'email address' });

/** A password of a length that sign-in accepts. Spaces are significant. */
export const password = z
  .string()
  .refine((text) => [...text].length >= 12, 'must have at least 12 characters')
  .max(128, 'must have at most 128 characters')
  .meta({ value: '12 to 128 characters' });

export const databaseUrl = z
  .string()
  .refine(
    (text) => /^postgres(ql)?:\/\//i.test(text) && URL.canParse(text),
    'must be a URL such as postgres://user:password@host:5432/database, or unset to use SQLite in the data directory; percent-encode characters such as @ and / in a password',
  )
  .meta({ value: '`postgres://user:password@host:5432/database`' });

const HOST_NAME =
  /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i;

export const host = z
  .string()
  .refine(
    (text) => isIP(text) !== 0 || (HOST_NAME.test(text) && !/^[\d.]+$/.test(text)),
    'must be a host name or an IP address such as 127.0.0.1, without scheme, port or brackets',
  )
  .meta({ value: 'host name or IP address' });

/**
 * An origin. It is normalised as in browsers (lower case, no default port) and can be compared with `Origin` headers. A URL with
 * a path is invalid, because routes and the headers of the widget assume that the service owns its origin.
 */
export const origin = httpUrl((url, text) => [
  url.pathname !== '/' && 'a path',
  url.pathname === '/' && text.endsWith('/') && 'a trailing slash',
])
  .transform((url) => url.origin)
  .meta({ value: 'absolute `http://` or `https://` URL with nothing after host and port' });

export const endpoint = httpUrl()
  .transform((url) => url.href.replace(/\/+$/, ''))
  .meta({ value: 'absolute `http://` or `https://` URL, with a path if the API has one' });

/** IP addresses and CIDR networks. A network with prefix length 0 is invalid, because it would include every address. */
export const networks = list(
  z.string().refine((entry) => {
    const [address = '', length = '1', ...rest] = entry.split('/');
    const version = address.includes('%') ? 0 : isIP(address);
    if (version === 0 || rest.length > 0 || !/^[1-9]\d{0,2}$/.test(length)) return false;
    return Number(length) <= (version === 4 ? 32 : 128);
  }, 'must be an IP address or a network such as 10.0.0.0/8'),
  'IP addresses and networks (`10.0.0.0/8`), separated by commas',
);

export const uuid = z
  .string()
  .regex(new RegExp(UUID_PATTERN), 'must be the ID of a space')
  .toLowerCase()
  .meta({ value: 'ID of a space' });

export const modelName = matching(
  /^[\x21-\x7e]{1,200}$/,
  '1 to 200 printable ASCII characters without spaces',
);

/**
 * An API key that is sent in a header. Invalid characters are rejected here, because an HTTP client might print the key in an
 * error.
 */
export const modelKey = matching(
  /^[\x21-\x7e]{1,4096}$/,
  'printable ASCII characters without spaces',
);

export const headerValue = matching(
  /^[\x21-\x7e](?:[\x20-\x7e]{0,4094}[\x21-\x7e])?$/,
  'printable ASCII characters, without spaces at the ends',
);

export const credential = matching(/^[^\p{Cc}]+$/u, 'text without control characters');

/** The servers of one NATS cluster. Credentials have separate settings, because URLs are logged. */
export const natsServers = list(
  z
    .string()
    .refine(
      (entry) => /^(nats|tls):\/\/[^/?#@\\]+$/i.test(entry) && URL.canParse(entry),
      'must be a URL such as nats://127.0.0.1:4222, without credentials or a path',
    )
    .toLowerCase(),
  '`nats://` or `tls://` URLs with only host and port, separated by commas',
);

/** A NATS subject with placeholders. Each placeholder becomes one token. */
export const natsSubject = z
  .string()
  .refine(
    (text) =>
      text.length <= 200 &&
      text
        .replace(/\{(?:spaceId|type|source)\}/g, 'x')
        .split('.')
        .every((token) => /^[\x21-\x7e]+$/.test(token) && !/[*>{}]/.test(token)),
    'must be tokens of printable ASCII separated by dots, up to 200 characters, without * or >; placeholders are {spaceId}, {type} and {source}',
  )
  .regex(/^(?!\$|_INBOX\b)/, 'must not start with $ or _INBOX, which NATS reserves')
  .meta({
    value:
      'tokens separated by dots, up to 200 characters; `{spaceId}`, `{type}` and `{source}` are replaced with the values of the event',
  });

export const kafkaBrokers = list(
  z.string().refine((entry) => {
    const url = URL.parse(`kafka://${entry}`);
    return url !== null && url.host === entry && url.port !== '' && url.hostname !== '';
  }, 'must be a host and a port such as kafka.example.com:9092'),
  '`host:port`, separated by commas',
);

export const kafkaTopic = z
  .string()
  .refine(
    (text) =>
      /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$/.test(text.replaceAll('{spaceId}', '0'.repeat(36))),
    'must be up to 249 letters, digits, dots, underscores and hyphens; the placeholder is {spaceId}',
  )
  .meta({
    value:
      'letters, digits, `.`, `_` and `-`; `{spaceId}` is replaced with the space ID, which gives each space its own topic',
  });

function decimal(pattern: RegExp, min: number, max: number, value: string) {
  const problem = `must be a ${value}`;
  return z
    .string()
    .regex(pattern, problem)
    .transform(Number)
    .pipe(z.number().min(min, problem).max(max, problem))
    .meta({ value });
}

function matching(pattern: RegExp, value: string) {
  return z.string().regex(pattern, `must be ${value}`).meta({ value });
}

function list(entry: z.ZodType<string, string>, value: string) {
  return z
    .string()
    .transform((text) => (text === '' ? [] : text.split(',').map((part) => part.trim())))
    .pipe(z.array(entry))
    .meta({ value });
}

function httpUrl(furtherExcess: (url: URL, text: string) => (string | false)[] = () => []) {
  return z.string().transform((text, context) => {
    const url = URL.parse(text);
    if (url === null || !/^https?:\/\/[^/?#\\]/i.test(text)) {
      context.addIssue(
        'must be an absolute http:// or https:// URL such as https://gatehouse.example.com',
      );
      return z.NEVER;
    }
    const excess = [
      (url.username || url.password) && 'credentials',
      text.includes('?') && 'a query',
      text.includes('#') && 'a fragment',
      ...furtherExcess(url, text),
    ].filter(Boolean);
    if (excess.length > 0) context.addIssue(`must not have ${excess.join(' or ')}`);
    return url;
  });
}
