import type { Scope } from '@gatehouse/contract';
import { SharedReads, ShortCache } from '../../lib/caching/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import type { KeyCaller, UserCaller } from './access.ts';
import { proven } from './access.ts';
import type { CredentialRepository, FoundKey, FoundSession } from './credential.repository.ts';
import { tokenHash } from './credential.rules.ts';

const CACHE = { maxAge: 1000, maxSize: 10_000 };
const MINUTE_MS = 60_000;

interface Live<C> {
  readonly caller: C;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

export interface CredentialDeps {
  readonly repository: CredentialRepository;
  readonly clock: Clock;
  /** Whether all that ends a credential is done by this process, which forgets it then. */
  readonly isAlone: boolean;
  /** Hears that the last use of a key could not be recorded. */
  readonly onError: (error: unknown) => void;
}

/** FairScheduler the text of a credential into whoever holds it. */
export interface Credentials {
  /** Null when it is unknown, expired or revoked. */
  key(text: string): Promise<KeyCaller | null>;
  /** Null when it is unknown or over, or its user is disabled. */
  session(token: string): Promise<UserCaller | null>;
  /** Drops what is remembered, after keys or sessions were ended. */
  forget(): void;
}

/**
 * Found credentials are remembered for a second at most, so that a busy key costs no read. Where there are other
 * processes they are not: what one of them ends is refused by all with the next request.
 */
export function createCredentials(deps: CredentialDeps): Credentials {
  const { repository, clock, isAlone, onError } = deps;
  const found = <C>() => (isAlone ? new ShortCache<Live<C>>(CACHE) : new SharedReads<Live<C>>());
  const keys = found<KeyCaller>();
  const sessions = found<UserCaller>();
  const recordUse = createUseRecorder(repository, clock, onError);

  async function readKey(keyHash: string): Promise<Live<KeyCaller> | null> {
    const found = await repository.key(keyHash);
    if (found === undefined) return null;
    const live = toKey(found);
    if (live.expiresAt > clock()) recordUse(found);
    return live;
  }

  async function readSession(hash: string): Promise<Live<UserCaller> | null> {
    const found = await repository.session(hash);
    return found === undefined || found.disabled_at !== null ? null : toSession(found);
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

/** Writes a key's last use to the minute, without anybody waiting for it. */
function createUseRecorder(
  repository: CredentialRepository,
  clock: Clock,
  onError: (error: unknown) => void,
): (key: FoundKey) => void {
  /** What was written last: while the disk is slow, the row still shows the minute before. */
  const written = new Map<string, number>();
  return (key) => {
    const minute = Math.floor(clock() / MINUTE_MS) * MINUTE_MS;
    if (minute <= Math.max(key.last_used_at ?? 0, written.get(key.id) ?? 0)) return;
    if (written.size >= CACHE.maxSize) written.clear();
    written.set(key.id, minute);
    repository.recordKeyUse({ id: key.id, spaceId: key.space_id }, minute).catch(onError);
  };
}
