import type { Database } from '../../storage/ports/index.ts';
import { checkValueOf } from '../secrets/index.ts';
import { createInstallationRepository } from './installation.repository.ts';

const NAME = 'secret-check';

/** The secret is not the one that the database was made with. */
export class WrongSecret extends Error {
  override readonly name = 'WrongSecret';
}

/**
 * Makes sure that this is the secret of the database; the first one that is ever given becomes it. Throws
 * `WrongSecret`.
 */
export async function confirmSecret(db: Database, secret: Buffer): Promise<void> {
  const installation = createInstallationRepository(db);
  const given = checkValueOf(secret);
  const known = async () => installation.find(NAME);
  if ((await known()) === undefined) await installation.add(NAME, given);
  if ((await known()) !== given)
    throw new WrongSecret('the secret is not the one that the database was made with');
}

/** From now on this is the secret of the database. What is encrypted with the one before stays lost. */
export async function acceptSecret(db: Database, secret: Buffer): Promise<void> {
  await createInstallationRepository(db).put(NAME, checkValueOf(secret));
}
