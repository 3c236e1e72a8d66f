import { hash, type KeyObject, randomUUID } from 'node:crypto';
import { ApiError } from '@gatehouse/contract';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { atMost } from '../../lib/caching/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import type { SigningKeys } from '../../platform/signing-keys/index.ts';
import type { Database } from '../../storage/ports/index.ts';
import { invalidSession, linkEnded, sessionExpired } from '../links/link.errors.ts';
import { createLinkRepository } from '../links/link.repository.ts';
import { type Lifetime, stateOf } from '../links/link.rules.ts';
import type { Signer } from './signer.ts';

/** The `typ` header of a session token. It distinguishes sessions from other tokens signed with the same key. */
const SESSION_TYPE = 'gatehouse-session+jwt';
const SESSION_ALGORITHM = 'EdDSA';
const SESSION_AUDIENCE = 'gatehouse';
const SESSION_SECONDS = 900;
/** Maximum number of verified tokens in memory. One takes about 1 kB. */
const MAX_VERIFIED = 5000;

declare const proof: unique symbol;

/**
 * An authenticated widget user with an active link. Only `WidgetSessions` creates it, after verifying the token's
 * signature and checking the link.
 */
export interface WidgetCaller {
  readonly [proof]: true;
  readonly spaceId: string;
  readonly linkId: string;
  /** The user that the link names, or null. */
  readonly sub: string | null;
}

export interface WidgetSessionsOptions {
  readonly signingKeys: Pick<SigningKeys, 'current' | 'find' | 'all'>;
  readonly signer: Signer;
  readonly db: Database;
  readonly clock: Clock;
  /**
   * Returns the `iss` claim, the service's base URL. This member is a function because a free port is known only after
   * listening.
   */
  readonly issuer: () => string;
  /**
   * The required `iss` claim, or null if no base URL is configured. Without a configured URL each replica issues its own
   * `iss`, and the signature alone proves that the installation issued the session.
   */
  readonly requiredIssuer: string | null;
}

export interface SessionLink {
  readonly spaceId: string;
  readonly linkId: string;
  readonly sub: string | null;
  /** Expiry of the link in Unix seconds. */
  readonly exp: number;
}

export interface SignedSession {
  readonly token: string;
  /** Whole seconds, at most 900. */
  readonly expiresIn: number;
}

interface VerifiedToken {
  readonly claims: JWTPayload;
  readonly kid: string | undefined;
  /** Unix seconds. */
  readonly exp: number;
}

/** Widget sessions: JWTs (RFC 7519) signed with EdDSA (RFC 8037). A session never outlives its link. */
export interface WidgetSessions {
  sign(link: SessionLink): Promise<SignedSession>;
  /**
   * Returns the widget user of a token. Every call checks the link, so revoking a link ends its sessions immediately.
   *
   * @throws ApiError 401 `links.session-invalid` if the token is invalid or its link was deleted, 410 `links.expired` or
   *   `links.revoked` if the link has ended, 401 `links.session-expired` if only the session has expired.
   */
  verify(token: string): Promise<WidgetCaller>;
  /**
   * Returns the user of a link that was found by its token. Needs no session.
   *
   * @throws ApiError 410 `links.expired` or `links.revoked` if the link has ended.
   */
  userOf(link: SessionLink & Lifetime): WidgetCaller;
  /** Returns the space of a token that this service issued, even if the token or link has ended; otherwise null. */
  spaceOf(token: string): Promise<string | null>;
  /** Reports whether `verify` accepts the token. */
  isValid(token: string): Promise<boolean>;
  /** Returns the JWK set (RFC 7517) of the public keys that verify sessions. */
  keySet(): Promise<{ keys: Record<string, unknown>[] }>;
}

export function createWidgetSessions(options: WidgetSessionsOptions): WidgetSessions {
  const { clock, issuer, requiredIssuer, signer, signingKeys } = options;
  const links = createLinkRepository(options.db);

  /** Tokens with a valid signature, by their SHA-256. Verifying a signature takes 150 µs. */
  const verified = new LRUCache<string, VerifiedToken>(atMost(MAX_VERIFIED));

  /** Verifies the signature and claims of a token. An expired token is not an error. */
  async function readToken(token: string): Promise<{ claims: JWTPayload; expired: boolean }> {
    const digest = hash('sha256', token);
    const known = verified.get(digest);
    if (known === undefined) {
      const { claims, kid, exp } = await verifySignature(token);
      if (exp === null) return { claims, expired: true };
      verified.set(digest, { claims, kid, exp });
      return { claims, expired: false };
    }
    // The key may have been removed.
    await keyFor(known.kid);
    return { claims: known.claims, expired: known.exp <= Math.floor(clock() / 1000) };
  }

  /** Like `readToken`, without the cache. `exp` is null if the token has expired. */
  async function verifySignature(
    token: string,
  ): Promise<Pick<VerifiedToken, 'claims' | 'kid'> & { readonly exp: number | null }> {
    if (!isCanonical(token.slice(token.lastIndexOf('.') + 1))) throw invalidSession();
    try {
      const { payload, protectedHeader } = await jwtVerify(token, (given) => keyFor(given.kid), {
        algorithms: [SESSION_ALGORITHM],
        typ: SESSION_TYPE,
        ...(requiredIssuer === null ? {} : { issuer: requiredIssuer }),
        audience: SESSION_AUDIENCE,
        requiredClaims: ['exp'],
        currentDate: new Date(clock()),
      });
      return { claims: payload, kid: protectedHeader.kid, exp: payload.exp ?? null };
    } catch (error) {
      // jose checks the expiry last, so the signature and all other claims are valid here.
      if (error instanceof errors.JWTExpired)
        return { claims: error.payload, kid: undefined, exp: null };
      if (error instanceof errors.JOSEError) throw invalidSession();
      throw error;
    }
  }

  async function keyFor(kid: string | undefined): Promise<KeyObject> {
    const key = kid === undefined ? undefined : await signingKeys.find(kid);
    if (key === undefined) throw invalidSession();
    return key.publicKey;
  }

  async function verify(token: string): Promise<WidgetCaller> {
    const { claims, expired } = await readToken(token);
    const { spaceId, linkId, sub = null } = claims;
    if (typeof spaceId !== 'string' || typeof linkId !== 'string') throw invalidSession();
    requireActive(await links.findLifetime(spaceId, linkId), clock());
    if (expired) throw sessionExpired();
    return { spaceId, linkId, sub } as WidgetCaller;
  }

  return {
    async sign({ spaceId, linkId, sub, exp: linkExp }) {
      const { iat, exp, expiresIn } = sessionTimes(linkExp, clock());
      const who = sub === null ? {} : { sub };
      const claims = { iss: issuer(), aud: SESSION_AUDIENCE, ...who, jti: randomUUID(), iat, exp };
      const { kid, privateKey } = await signingKeys.current();
      const header = { alg: SESSION_ALGORITHM, typ: SESSION_TYPE, kid };
      const signed = `${encode(header)}.${encode({ ...claims, spaceId, linkId })}`;
      return { token: `${signed}.${await signer.sign(signed, privateKey)}`, expiresIn };
    },
    verify,
    userOf(link) {
      requireActive(link, clock());
      const { spaceId, linkId, sub } = link;
      return { spaceId, linkId, sub } as WidgetCaller;
    },
    async spaceOf(token) {
      const claims = await unlessRejected(readToken(token));
      const spaceId = claims?.claims['spaceId'];
      return typeof spaceId === 'string' ? spaceId : null;
    },
    isValid: async (token) => (await unlessRejected(verify(token))) !== null,
    keySet: async () => ({
      keys: (await signingKeys.all()).map(({ publicJwk }) => ({ ...publicJwk })),
    }),
  };
}

/**
 * Throws unless the link of a session is active.
 *
 * @param link `null` if the link was deleted.
 * @param now Unix milliseconds.
 * @throws ApiError 401 `links.session-invalid` if the link was deleted, 410 `links.expired` or `links.revoked`.
 */
export function requireActive<L extends Lifetime>(link: L | null, now: number): asserts link is L {
  if (link === null) throw invalidSession();
  const state = stateOf(link, now);
  if (state !== 'active') throw linkEnded({ state });
}

export interface SessionTimes {
  /** Unix seconds. */
  readonly iat: number;
  /** Unix seconds. */
  readonly exp: number;
  /** Time until `exp` in seconds, rounded down. */
  readonly expiresIn: number;
}

/**
 * Returns the times of a new session. It expires after 15 minutes or with its link, whichever is earlier, rounded down to
 * a second.
 *
 * @param linkExp Unix seconds, in the future.
 * @param now Unix milliseconds.
 */
export function sessionTimes(linkExp: number, now: number): SessionTimes {
  const iat = Math.floor(now / 1000);
  const left = Math.max(0, Math.floor(linkExp - now / 1000));
  const expiresIn = Math.min(SESSION_SECONDS, left);
  return { iat, exp: iat + expiresIn, expiresIn };
}

async function unlessRejected<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/**
 * Reports whether a text is the only base64url encoding of its bytes. Decoders ignore padding, unused bits and foreign characters, so
 * one signature would have several texts. The signature covers the other parts of a token as text.
 */
function isCanonical(text: string): boolean {
  return Buffer.from(text, 'base64url').toString('base64url') === text;
}

function encode(json: object): string {
  return Buffer.from(JSON.stringify(json)).toString('base64url');
}
