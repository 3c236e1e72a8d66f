import type { Clock } from '../../lib/scheduling/index.ts';
import type { Database } from '../../storage/ports/index.ts';
import { COPY_FACT, isUnfinished } from '../copy/index.ts';
import { checkValueOf, type OpenedSecret, openSecret } from '../secrets/index.ts';
import type { Settings } from '../settings/index.ts';
import { createSigningKeys, type SigningKeys } from '../signing-keys/index.ts';
import { createInstallationRepository } from './installation.repository.ts';
import { EXIT, OperatorFailure } from './operator-failure.ts';

/** The fact that stores the check value of the secret. */
const SECRET_CHECK = 'secret-check';

export interface Installation {
  /** 32 bytes. Derive a key per purpose from it; never use it directly. */
  readonly secret: Buffer;
  readonly signingKeys: SigningKeys;
}

/**
 * Opens the secret of the installation. With PostgreSQL it must be given, and the data directory is not used. Throws
 * `OperatorFailure` and `UnusableSecret`.
 */
export function openSecretOf(
  settings: Pick<Settings, 'dataDir' | 'databaseUrl' | 'secret'>,
): OpenedSecret {
  const given = settings.secret?.reveal() ?? null;
  if (settings.databaseUrl === null) return openSecret(settings.dataDir, given);
  if (given === null)
    throw new OperatorFailure(EXIT.misconfigured, ['GATEHOUSE_SECRET: must be set']);
  return { secret: given, from: 'GATEHOUSE_SECRET', takeBack: null };
}

/** Checks the secret against the database and opens the signing keys. Throws `OperatorFailure`. */
export async function openInstallation(
  { secret, from, takeBack }: OpenedSecret,
  { db, clock }: { readonly db: Database; readonly clock: Clock },
): Promise<Installation> {
  if (isUnfinished(await createInstallationRepository(db).find(COPY_FACT)))
    throw new OperatorFailure(EXIT.misconfigured, [
      'a copy into this database is unfinished: run the same "npm run gatehouse -- copy" to resume it, or empty the database',
    ]);
  if (!(await checkSecret(db, secret))) {
    takeBack?.();
    throw new OperatorFailure(EXIT.misconfigured, [
      `${from}: is not the secret that this database was made with. Configure the right one from your copy. If you have none, "npm run gatehouse -- replace-secret" continues with this one; users then have to open their links again, and you have to set new secrets for all event sources and subscriptions`,
    ]);
  }
  const signingKeys = createSigningKeys({ db, secret, clock });
  // Creates the first key, or fails at the start if the stored ones cannot be decrypted.
  await signingKeys.all();
  return { secret, signingKeys };
}

/** Reports whether this is the secret of the database; the first secret that is ever checked becomes it. */
export async function checkSecret(db: Database, secret: Buffer): Promise<boolean> {
  const facts = createInstallationRepository(db);
  const value = checkValueOf(secret);
  if ((await facts.find(SECRET_CHECK)) === undefined) await facts.add(SECRET_CHECK, value);
  return (await facts.find(SECRET_CHECK)) === value;
}

/** Makes this the secret of the database. Data encrypted with the previous one stays unreadable. */
export async function replaceSecret(db: Database, secret: Buffer): Promise<void> {
  await createInstallationRepository(db).put(SECRET_CHECK, checkValueOf(secret));
}
