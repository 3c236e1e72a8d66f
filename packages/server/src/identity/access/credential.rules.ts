import { hash } from 'node:crypto';

/** The credential in a request's headers, not yet verified. */
type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'malformed'; readonly problem: string }
  | { readonly kind: 'key'; readonly text: string }
  | { readonly kind: 'session'; readonly text: string }
  /** A JWT, recognized by its two dots. Only widget sessions are JWTs. */
  | { readonly kind: 'jwt'; readonly text: string };

interface Headers {
  readonly authorization?: string | undefined;
  readonly 'x-api-key'?: string | readonly string[] | undefined;
}

/** Maximum length of a credential. The limit allows a JWT with a large payload. */
const MAX_LENGTH = 8192;
/** `token68` of RFC 9110, section 11.2. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;
const KEY_PREFIX = 'gh_';
const HOW_TO_AUTHENTICATE = 'send `Authorization: Bearer <session or API key>`';

/**
 * Returns the credential in `Authorization: Bearer <session, key or JWT>` or `X-API-Key: <key>`. `Authorization` wins if
 * both headers are present, so a proxy or client library that adds `X-API-Key` cannot change the caller.
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
  if (scheme === '') return malformed(`The Authorization header is empty; ${HOW_TO_AUTHENTICATE}.`);
  if (scheme.toLowerCase() !== 'bearer')
    return malformed(
      `The Authorization header has a scheme other than Bearer; ${HOW_TO_AUTHENTICATE}.`,
    );
  if (token === undefined)
    return malformed(`The Authorization header has no token after Bearer; ${HOW_TO_AUTHENTICATE}.`);
  if (others.length > 0)
    return malformed(`The Authorization header has more than one token; ${HOW_TO_AUTHENTICATE}.`);
  if (!isToken(token))
    return malformed(
      `The token in the Authorization header is too long or has invalid characters; ${HOW_TO_AUTHENTICATE}.`,
    );
  if (token.startsWith(KEY_PREFIX)) return { kind: 'key', text: token };
  return { kind: token.split('.').length === 3 ? 'jwt' : 'session', text: token };
}

function readKeyHeader(value: string): Credential {
  const text = value.trim();
  if (text === '') return malformed('The X-API-Key header is empty; send one API key in it.');
  if (!isToken(text) || !text.startsWith(KEY_PREFIX))
    return malformed('The X-API-Key header is not an API key; API keys start with `gh_`.');
  return { kind: 'key', text };
}

function isToken(text: string): boolean {
  return text.length <= MAX_LENGTH && TOKEN.test(text);
}

function malformed(problem: string): Credential {
  return { kind: 'malformed', problem };
}

/**
 * Returns the SHA-256 of a secret token in hex. Only this hash is stored. The tokens have at least 190 random bits, so the
 * hash needs no salt and no slow algorithm. An index lookup by hash needs no constant-time comparison, because an attacker
 * cannot choose the hash.
 */
export function tokenHash(token: string): string {
  return hash('sha256', token, 'hex');
}
