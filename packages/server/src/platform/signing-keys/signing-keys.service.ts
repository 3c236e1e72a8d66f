import type { Clock } from '../../lib/scheduling/index.ts';
import type { Database } from '../../storage/ports/index.ts';
import {
  dueSchedule,
  firstVerifyingGeneration,
  nextSchedule,
  signingKeyAt,
  verifyingKeysAt,
} from './key-schedule.rules.ts';
import {
  createSigningKeyRepository,
  type StoredSigningKey,
  UnreadableSigningKey,
} from './signing-key.repository.ts';
import type { SigningKey } from './signing-key.rules.ts';

export interface SigningKeysOptions {
  readonly db: Database;
  readonly secret: Buffer;
  readonly clock: Clock;
}

/** The keys that sign widget sessions. All replicas share them through the database. */
export interface SigningKeys {
  current(): Promise<SigningKey>;
  /** Returns the key with this ID, or `undefined` if it does not verify. */
  find(kid: string): Promise<SigningKey | undefined>;
  /** Returns all keys that verify, newest first. The newest key may not sign yet. */
  all(): Promise<readonly StoredSigningKey[]>;
  /**
   * Adds a key that starts to sign after all replicas have read it. If the newest key does not sign yet, returns that key
   * instead. With `atOnce`, the new key signs now and all earlier keys stop verifying.
   */
  rotate(how: { readonly atOnce: boolean }): Promise<StoredSigningKey>;
}

const CACHE_MS = 10_000;
/** Maximum age in milliseconds of the cache when an unknown key is looked up. */
const CACHE_FOR_UNKNOWN_MS = 1000;
const ATTEMPTS = 20;

/**
 * Creates the signing keys. All replicas agree on the keys: rows are never changed, and if two replicas add the same generation,
 * only the first key is stored. Keys are read on demand. There is no background work.
 */
export function createSigningKeys({ db, clock, secret }: SigningKeysOptions): SigningKeys {
  const repository = createSigningKeyRepository(db, secret);
  let cache: { readonly keys: readonly StoredSigningKey[]; readonly readAt: number } | null = null;
  let reading: Promise<readonly StoredSigningKey[]> | null = null;

  /** Reads all keys, adds a key if a new key is due, and removes keys that no longer verify. */
  async function read(): Promise<readonly StoredSigningKey[]> {
    const now = clock();
    let keys = await repository.all();
    const due = dueSchedule(keys.at(-1), now);
    if (due !== null) {
      await repository.add(due);
      keys = await repository.all();
    }
    const first = firstVerifyingGeneration(keys, now);
    if (keys.some(({ generation }) => generation < first)) await repository.removeBefore(first);
    cache = { keys, readAt: now };
    return keys;
  }

  /** Shares one read among concurrent callers. */
  function readShared(): Promise<readonly StoredSigningKey[]> {
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  }

  async function keysNoOlderThan(maxAge: number): Promise<readonly StoredSigningKey[]> {
    const age = cache === null ? Number.NaN : clock() - cache.readAt;
    return cache !== null && age >= 0 && age < maxAge ? cache.keys : readShared();
  }

  const verifying = async (maxAge: number) =>
    verifyingKeysAt(await keysNoOlderThan(maxAge), clock());

  return {
    current: async () => {
      const key = signingKeyAt(await keysNoOlderThan(CACHE_MS), clock());
      if (key === undefined) throw new UnreadableSigningKey('there is no signing key');
      return key;
    },
    find: async (kid) => {
      const among = (keys: readonly StoredSigningKey[]) => keys.find((key) => key.kid === kid);
      return among(await verifying(CACHE_MS)) ?? among(await verifying(CACHE_FOR_UNKNOWN_MS));
    },
    all: () => verifying(CACHE_MS),
    rotate: async ({ atOnce }) => {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const newest = (await readShared()).at(-1);
        const now = clock();
        if (newest === undefined) continue;
        if (!atOnce && newest.signsFrom > now) return newest;
        const added = await repository.add(nextSchedule(newest, now, { atOnce }));
        const stored = (await readShared()).at(-1);
        // Retry if another replica has added a newer key, because then the added key never signs.
        if (stored?.kid === added) return stored;
      }
      throw new Error('other processes rotate the signing key continuously');
    },
  };
}
