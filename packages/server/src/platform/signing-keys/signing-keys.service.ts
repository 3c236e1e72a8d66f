import type { Clock } from '../../lib/scheduling/index.ts';
import type { Database } from '../../storage/ports/index.ts';
import {
  endedBefore,
  firstLife,
  type KeyLife,
  lifeAfter,
  MAX_AGE_MS,
  signingAt,
  verifyingAt,
} from './key-life.rules.ts';
import { createSigningKeyRepository } from './signing-key.repository.ts';
import { newSigningKeyText, type SigningKey } from './signing-key.rules.ts';
import { createVault, type LivingKey } from './vault.ts';

export interface SigningKeysOptions {
  readonly db: Database;
  /** The installation's, 32 bytes. */
  readonly secret: Buffer;
  readonly clock: Clock;
}

/** The keys of widget sessions, as the database has them: the same for all replicas. */
export interface SigningKeys {
  /** The key to sign with now. */
  current(): Promise<SigningKey>;
  /** A key that verifies now; undefined for any other id. */
  find(kid: string): Promise<SigningKey | undefined>;
  /** All keys that verify, the newest first; it may be one that does not sign yet. */
  all(): Promise<readonly LivingKey[]>;
  /**
   * Puts a new key behind the newest, which signs from when all replicas know it; one that was asked for
   * before and does not sign yet is given back instead. With `atOnce` it signs now, and what was signed
   * before is accepted no more.
   */
  rotate(how: { readonly atOnce: boolean }): Promise<LivingKey>;
}

/** The keys are read again after so long, by whoever needs one: nobody signs with older knowledge. */
const READ_EVERY_MS = 10_000;
/** A key that is not known has them read again, but not more often than this. */
const READ_AGAIN_AFTER_MS = 1000;
const ATTEMPTS = 5;

/** A key cannot be decrypted although the secret is right: its row was altered. */
export class UnreadableSigningKey extends Error {
  override readonly name = 'UnreadableSigningKey';
}

/**
 * Signing keys in the database, encrypted, one row for each generation. Rows are only added and removed,
 * never changed, and of two replicas that add a generation the first one wins, so that all agree at any
 * time. They are read when somebody needs one, by the clock handed in; nothing runs in the background.
 */
export function createSigningKeys({ db, clock, secret }: SigningKeysOptions): SigningKeys {
  const repository = createSigningKeyRepository(db);
  const vault = createVault(secret);
  let known: { readonly keys: readonly LivingKey[]; readonly readAt: number } | null = null;
  let reading: Promise<readonly LivingKey[]> | null = null;

  async function stored(): Promise<readonly LivingKey[]> {
    return (await repository.all()).map((row) => {
      const key = vault.toKey(row);
      if (key !== undefined) return key;
      throw new UnreadableSigningKey(`signing key ${row.generation} cannot be decrypted`);
    });
  }

  /** Reads all keys, makes one where it is time, and removes those that are over. */
  async function read(): Promise<readonly LivingKey[]> {
    const now = clock();
    let keys = await stored();
    const due = dueLife(keys.at(-1), now);
    if (due !== null) {
      await repository.add(vault.toRow(due, newSigningKeyText()));
      keys = await stored();
    }
    const over = endedBefore(keys, now);
    if (keys.some(({ generation }) => generation < over)) await repository.removeBefore(over);
    known = { keys, readAt: now };
    return keys;
  }

  /** For all who ask meanwhile. */
  function readTogether(): Promise<readonly LivingKey[]> {
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  }

  async function keysNoOlderThan(age: number): Promise<readonly LivingKey[]> {
    const since = known === null ? Number.NaN : clock() - known.readAt;
    return known !== null && since >= 0 && since < age ? known.keys : readTogether();
  }

  const verifying = async (age: number) => verifyingAt(await keysNoOlderThan(age), clock());

  return {
    current: async () => {
      const key = signingAt(await keysNoOlderThan(READ_EVERY_MS), clock());
      if (key === undefined) throw new UnreadableSigningKey('there is no signing key');
      return key;
    },
    find: async (kid) => {
      const among = (keys: readonly LivingKey[]) => keys.find((key) => key.kid === kid);
      return among(await verifying(READ_EVERY_MS)) ?? among(await verifying(READ_AGAIN_AFTER_MS));
    },
    all: () => verifying(READ_EVERY_MS),
    rotate: async ({ atOnce }) => {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const newest = (await readTogether()).at(-1);
        const now = clock();
        if (newest === undefined) continue;
        if (!atOnce && newest.signsFrom > now) return newest;
        const row = vault.toRow(lifeAfter(newest, now, { atOnce }), newSigningKeyText());
        await repository.add(row);
        const made = (await readTogether()).find(({ kid }) => kid === row.kid);
        if (made !== undefined) return made;
      }
      throw new Error('somebody else makes signing keys all the time');
    },
  };
}

/** The life of a key that has to be made now; null while there is one and it is young enough. */
function dueLife(newest: KeyLife | undefined, now: number): KeyLife | null {
  if (newest === undefined) return firstLife(now);
  return newest.createdAt + MAX_AGE_MS <= now ? lifeAfter(newest, now, { atOnce: false }) : null;
}
