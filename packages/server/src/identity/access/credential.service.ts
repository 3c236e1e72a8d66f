import type { Scope } from '@gatehouse/contract';
import { SharedReads, ShortCache } from '../../lib/caching/index.ts';
import { type Clock, MINUTE_MS } from '../../lib/scheduling/index.ts';
import type { KeyCaller, UserCaller } from './access.ts';
import { proven } from './access.ts';
import type { CredentialRepository, FoundKey, FoundSession } from './credential.repository.ts';
import { tokenHash } from './credential.rules.ts';

const CACHE = { maxAge: 1000, maxSize: 10_000 };

interface Live<C> {
  readonly caller: C;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

export interface CredentialDeps {
  readonly repository: CredentialRepository;
  readonly clock: Clock;
  /** `true` if no other process can revoke keys or end sessions. Credentials are then cached. */
  readonly isAlone: boolean;
  /** Receives errors of the background writes that record the last use of a key or session. */
  readonly onError: (error: unknown) => void;
}

/** Looks up the caller of a credential. */
export interface Credentials {
  /** Returns null if the key is unknown, expired or revoked. */
  key(text: string): Promise<KeyCaller | null>;
  /** Returns null if the session is unknown or expired, or its user is disabled. */
  session(token: string): Promise<UserCaller | null>;
  /** Clears the cache. Call it after keys or sessions were ended. */
  forget(): void;
}

/**
 * Creates the credential lookup. If `isAlone`, found credentials are cached for at most one second, so a busy key costs no
 * read. With several processes nothing is cached, so every process rejects an ended credential immediately.
 */
export function createCredentials(deps: CredentialDeps): Credentials {
  const { repository, clock, isAlone, onError } = deps;
  const found = <C>() => (isAlone ? new ShortCache<Live<C>>(CACHE) : new SharedReads<Live<C>>());
  const keys = found<KeyCaller>();
  const sessions = found<UserCaller>();
  const recordKeyUse = createUseRecorder(clock, onError, (key: FoundKey, usedAt) =>
    repository.recordKeyUse({ id: key.id, spaceId: key.space_id }, usedAt),
  );
  const recordSessionUse = createUseRecorder(clock, onError, (session: FoundSession, usedAt) =>
    repository.recordSessionUse(session.id, usedAt),
  );

  async function readKey(keyHash: string): Promise<Live<KeyCaller> | null> {
    const found = await repository.key(keyHash);
    if (found === undefined) return null;
    const live = toKey(found);
    if (live.expiresAt > clock()) recordKeyUse(found);
    return live;
  }

  async function readSession(hash: string): Promise<Live<UserCaller> | null> {
    const found = await repository.session(hash);
    if (found === undefined || found.disabled_at !== null) return null;
    const live = toSession(found);
    if (live.expiresAt > clock()) recordSessionUse(found);
    return live;
  }

  return {
    key: async (text) => {
      const keyHash = tokenHash(text);
      return unlessExpired(await keys.get(keyHash, () => readKey(keyHash)), clock);
    },
    session: async (token) => {
      const hash = tokenHash(token);
      return unlessExpired(await sessions.get(hash, () => readSession(hash)), clock);
    },
    forget: () => {
      keys.forget();
      sessions.forget();
    },
  };
}

function unlessExpired<C>(live: Live<C> | null, clock: Clock): C | null {
  return live !== null && live.expiresAt > clock() ? live.caller : null;
}

function toKey(row: FoundKey): Live<KeyCaller> {
  const caller = proven<KeyCaller>({
    kind: 'key',
    keyId: row.id,
    spaceId: row.space_id,
    scopes: new Set(JSON.parse(row.scopes) as Scope[]),
  });
  return { caller, expiresAt: row.expires_at ?? Number.POSITIVE_INFINITY };
}

function toSession(row: FoundSession): Live<UserCaller> {
  const caller = proven<UserCaller>({
    kind: 'user',
    userId: row.user_id,
    admin: row.is_admin === 1,
    sessionId: row.id,
  });
  return { caller, expiresAt: Date.parse(row.expires_at) };
}

/** Returns a function that records in the background when a credential was last used, rounded down to the minute. */
function createUseRecorder<C extends { readonly id: string; readonly last_used_at: number | null }>(
  clock: Clock,
  onError: (error: unknown) => void,
  record: (used: C, usedAt: number) => Promise<void>,
): (used: C) => void {
  /** Minute of the last write per ID, in Unix milliseconds. Prevents repeated writes while an earlier write is pending. */
  const written = new Map<string, number>();
  return (used) => {
    const minute = Math.floor(clock() / MINUTE_MS) * MINUTE_MS;
    if (minute <= Math.max(used.last_used_at ?? 0, written.get(used.id) ?? 0)) return;
    if (written.size >= CACHE.maxSize) written.clear();
    written.set(used.id, minute);
    record(used, minute).catch(onError);
  };
}
