import { type KeyObject, randomUUID } from 'node:crypto';
import { ApiError } from '@gatehouse/contract';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import type { Clock } from '../../lib/scheduling/index.ts';
import type { SigningKeys } from '../../platform/signing-keys/index.ts';
import type { Database } from '../../storage/ports/index.ts';
import { invalidSession, linkEnded, sessionExpired } from '../links/link.errors.ts';
import { createLinkRepository, type LinkRepository } from '../links/link.repository.ts';
import { stateOf } from '../links/link.rules.ts';
import type { Signer } from './signer.ts';

/** `typ` of a session token, so that no other token that its key may ever sign passes for one. */
const SESSION_TYPE = 'gatehouse-session+jwt';
const SESSION_ALGORITHM = 'EdDSA';
const SESSION_AUDIENCE = 'gatehouse';
const SESSION_SECONDS = 900;

declare const proof: unique symbol;

/**
 * The user of a widget whose link is active. Only `WidgetSessions` creates one, after it has verified the
 * signature of the token and checked the link.
 */
export interface WidgetCaller {
  readonly [proof]: true;
  readonly spaceId: string;
  readonly linkId: string;
  /** The user, as the link names them; null if it names nobody. */
  readonly sub: string | null;
}

export interface WidgetSessionsOptions {
  readonly signingKeys: Pick<SigningKeys, 'current' | 'find' | 'all'>;
  readonly signer: Signer;
  readonly db: Database;
  readonly clock: Clock;
  /** Claim `iss`: the service's base URL. Asked each time, since a free port is known only once it is listened on. */
  readonly issuer: () => string;
  /**
   * The claim `iss` that a session must have. Null where the service was given no address: each replica then names
   * its own, and that a key of the installation signed a session says enough.
   */
  readonly requiredIssuer: string | null;
}

/** What a session is made for. */
export interface SessionLink {
  readonly spaceId: string;
  readonly linkId: string;
  readonly sub: string | null;
  /** The end of the link, Unix seconds. */
  readonly exp: number;
}

export interface SignedSession {
  readonly token: string;
  /** Whole seconds, 900 at most. */
  readonly expiresIn: number;
}

/** Widget sessions: JWTs (RFC 7519) signed with EdDSA (RFC 8037), which live no longer than their link. */
export interface WidgetSessions {
  sign(link: SessionLink): Promise<SignedSession>;
  /**
   * Who holds this token. Asks on every call whether the link still lives, so that revoking it ends
   * its sessions with their next request.
   *
   * @throws ApiError 401 `links.session-invalid` for anything that is no token of ours or whose link
   *   is deleted, 410 `links.expired` or `links.revoked` when the link has ended, and 401
   *   `links.session-expired` when only the session has.
   */
  verify(token: string): Promise<WidgetCaller>;
  /** The space that a token of ours is of, whatever became of it since; null for any other text. */
  spaceOf(token: string): Promise<string | null>;
  /** Whether `verify` would accept it. */
  isLive(token: string): Promise<boolean>;
  /** The JWK set with the public keys that verify sessions (RFC 7517). */
  keySet(): Promise<{ keys: Record<string, unknown>[] }>;
}

export function createWidgetSessions(options: WidgetSessionsOptions): WidgetSessions {
  const { clock, issuer, requiredIssuer, signer, signingKeys } = options;
  const links = createLinkRepository(options.db);

  /** The claims of a token that a key of ours signed for this service, and whether its time is over. */
  async function readToken(token: string): Promise<{ claims: JWTPayload; expired: boolean }> {
    try {
      const { payload } = await jwtVerify(token, (given) => keyFor(given.kid), {
        algorithms: [SESSION_ALGORITHM],
        typ: SESSION_TYPE,
        ...(requiredIssuer === null ? {} : { issuer: requiredIssuer }),
        audience: SESSION_AUDIENCE,
        requiredClaims: ['exp'],
        currentDate: new Date(clock()),
      });
      return { claims: payload, expired: false };
    } catch (error) {
      // Thrown last, after the signature and all other claims were found right.
      if (error instanceof errors.JWTExpired) return { claims: error.payload, expired: true };
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
    await requireActiveLink({ links, clock }, { spaceId, linkId });
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
    async spaceOf(token) {
      const claims = await unlessRefused(readToken(token));
      const spaceId = claims?.claims['spaceId'];
      return typeof spaceId === 'string' ? spaceId : null;
    },
    isLive: async (token) => (await unlessRefused(verify(token))) !== null,
    keySet: async () => ({
      keys: (await signingKeys.all()).map(({ publicJwk }) => ({ ...publicJwk })),
    }),
  };
}

interface ActiveLinkDeps {
  readonly links: Pick<LinkRepository, 'findLifetime'>;
  readonly clock: Clock;
}

/**
 * Requires that the link of a session is active.
 *
 * @throws ApiError 401 `links.session-invalid` if it was deleted, 410 `links.expired` or `links.revoked`.
 */
export async function requireActiveLink(
  { links, clock }: ActiveLinkDeps,
  { spaceId, linkId }: { readonly spaceId: string; readonly linkId: string },
): Promise<void> {
  const lifetime = await links.findLifetime(spaceId, linkId);
  if (lifetime === null) throw invalidSession();
  const state = stateOf(lifetime, clock());
  if (state !== 'active') throw linkEnded({ state });
}

export interface SessionTimes {
  /** Claim `iat`, Unix seconds. */
  readonly iat: number;
  /** Claim `exp`, Unix seconds. */
  readonly exp: number;
  /** Whole seconds from now; 0 in the last second of a link. */
  readonly expiresIn: number;
}

/**
 * Decides when a session expires: after 15 minutes, or with its link if that is earlier. Rounded down to a second.
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

async function unlessRefused<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

function encode(json: object): string {
  return Buffer.from(JSON.stringify(json)).toString('base64url');
}
