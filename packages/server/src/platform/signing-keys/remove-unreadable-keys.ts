import type { Database } from '../../storage/ports/index.ts';
import { createSigningKeyRepository } from './signing-key.repository.ts';
import { createVault } from './vault.ts';

/** Removes the keys that cannot be decrypted with this secret, so that new ones are made. How many there were. */
export async function removeUnreadableKeys(db: Database, secret: Buffer): Promise<number> {
  const repository = createSigningKeyRepository(db);
  const vault = createVault(secret);
  const unreadable = (await repository.all()).filter((row) => vault.toKey(row) === undefined);
  await repository.remove(unreadable.map(({ generation }) => generation));
  return unreadable.length;
}
