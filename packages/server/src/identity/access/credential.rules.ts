import { hash } from 'node:crypto';

/** What a request's headers carry; nothing of it has been looked up yet. */
type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'malformed'; readonly problem: string }
  | { readonly kind: 'key'; readonly text: string }
  | { readonly kind: 'session'; readonly text: string }
  /** Two dots: a JWT, which only widget sessions are. */
  | { readonly kind: 'jwt'; readonly text: string };

interface Headers {
  readonly authorization?: string | undefined;
  readonly 'x-api-key'?: string | readonly string[] | undefined;
}

/** The most characters that any credential of ours has, a JWT with a large payload included. */
const MAX_LENGTH = 8192;
/** `token68` of RFC 9110, section 11.2. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;
const KEY_PREFIX = 'gh_';
const HOW = 'send `Authorization: Bearer <session or API key>`';

/**
 * Reads the credential of a request: `Authorization: Bearer <session, key or JWT>`, or
 * `X-API-Key: <key>`. With both headers `Authorization` decides, so that a proxy or a client library
 * that adds the other cannot change who calls.
 */
export function readCredential(headers: Headers): Credential {
  const { authorization } = headers;
  if (authorization !== undefined) return readAuthorization(authorization);
  const key = headers['x-api-key'];
  if (key === undefined) return { kind: 'none' };
  return readKeyHeader(typeof key === 'string' ? key : '');
}

function readAuthorization(value: string): Credential {
  const parts = value.trim().split(/[ \t]+/);
  const [scheme = '', token, ...others] = parts;
  if (scheme === '') return malformed(`The Authorization header is empty; ${HOW}.`);
  if (scheme.toLowerCase() !== 'bearer')
    return malformed(`The Authorization header has a scheme other than Bearer; ${HOW}.`);
  if (token === undefined)
    return malformed(`The Authorization header has no token after Bearer; ${HOW}.`);
  if (others.length > 0)
    return malformed(`The Authorization header has more than one token; ${HOW}.`);
  if (!isToken(token))
    return malformed(`The token in the Authorization header has characters that no token has.`);
  if (token.startsWith(KEY_PREFIX)) return { kind: 'key', text: token };
  return { kind: token.split('.').length === 3 ? 'jwt' : 'session', text: token };
}

function readKeyHeader(value: string): Credential {
  const text = value.trim();
  if (text === '') return malformed('The X-API-Key header is empty; send one API key in it.');
  if (!isToken(text) || !text.startsWith(KEY_PREFIX))
    return malformed('The X-API-Key header is not an API key; those begin with `gh_`.');
  return { kind: 'key', text };
}

function isToken(text: string): boolean {
  return text.length <= MAX_LENGTH && TOKEN.test(text);
}

function malformed(problem: string): Credential {
  return { kind: 'malformed', problem };
}

/**
 * What is kept of a secret token: its SHA-256, hex. No salt and no slow hash, because the tokens are
 * random and long (at least 190 bits), so nothing can be guessed from the hash. For the same reason
 * finding a row by it needs no comparison in constant time: whoever times the index learns about a
 * hash that they cannot steer.
 */
export function tokenHash(token: string): string {
  return hash('sha256', token, 'hex');
}
