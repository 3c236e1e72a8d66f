import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../lib/scheduling/index.ts';
import { type Database, inTransaction } from '../../storage/ports/index.ts';
import { recordAction } from '../audit/index.ts';
import { COPY_FACT, isUnfinished } from '../copy/index.ts';
import { checkValueOf, type OpenedSecret, openSecret } from '../secrets/index.ts';
import type { Settings } from '../settings/index.ts';
import { createSigningKeys, type SigningKeys } from '../signing-keys/index.ts';
import { EXIT } from './exit-codes.ts';
import { createInstallationRepository } from './installation.repository.ts';
import { OperatorFailure } from './operator-failure.ts';

const SECRET_CHECK = 'secret-check';

export interface Installation {
  /** True if the database had no secret, so that this start has created the installation. */
  readonly isNew: boolean;
  /** The installation secret: 32 random bytes. Derive a key for each purpose, and never use the secret itself as a key. */
  readonly secret: Buffer;
  readonly signingKeys: SigningKeys;
}

/**
 * Opens the secret of the installation. With PostgreSQL, the settings must contain the secret, and the data directory is not
 * used. Throws `OperatorFailure` and `UnusableSecret`.
 */
export function openSecretOf(
  settings: Pick<Settings, 'dataDir' | 'databaseUrl' | 'secret'>,
): OpenedSecret {
  const given = settings.secret?.reveal() ?? null;
  if (settings.databaseUrl === null) {
    const opened = openSecret(settings.dataDir, given);
    checkDatabaseOf(opened, settings.dataDir);
    return opened;
  }
  if (given === null)
    throw new OperatorFailure(EXIT.misconfigured, ['GATEHOUSE_SECRET: must be set']);
  return { secret: given, from: 'GATEHOUSE_SECRET', create: () => given };
}

/** Throws `OperatorFailure` if the database is empty although the data directory contains its secret: a copy of it is incomplete. */
function checkDatabaseOf({ secret, from }: OpenedSecret, dataDir: string): void {
  const file = join(dataDir, 'gatehouse.db');
  if (secret === null || from === 'GATEHOUSE_SECRET') return;
  if (statSync(file, { throwIfNoEntry: false })?.size !== 0) return;
  throw new OperatorFailure(EXIT.misconfigured, [
    `${file}: is empty, but its secret exists (${from}); restore a backup, or delete the empty file to start without data`,
  ]);
}

/**
 * Checks the secret against the database and opens the signing keys. Creates the secret of a new database. Throws `OperatorFailure` and
 * `UnusableSecret`.
 */
export async function openInstallation(
  opened: OpenedSecret,
  { db, clock }: { readonly db: Database; readonly clock: Clock },
): Promise<Installation> {
  if (isUnfinished(await createInstallationRepository(db).find(COPY_FACT)))
    throw new OperatorFailure(EXIT.misconfigured, [
      'a copy into this database is unfinished: run the same "npm run gatehouse -- copy" to resume it, or empty the database',
    ]);
  const isNew = (await createInstallationRepository(db).find(SECRET_CHECK)) === undefined;
  const secret = opened.secret ?? (isNew ? opened.create() : null);
  if (secret === null || !(await checkSecret(db, secret))) {
    const problem =
      secret === null
        ? 'is missing; restore it from your backup, or set GATEHOUSE_SECRET to the secret of this database. If you have none, run "npm run gatehouse -- replace-secret" to continue with a new one'
        : 'is not the secret of this database. Configure the correct one from your backup. If you have none, run "npm run gatehouse -- replace-secret" to continue with this one';
    throw new OperatorFailure(EXIT.misconfigured, [
      `${opened.from}: ${problem}; open chats then exchange their links again, and you have to set new secrets for all event sources and subscriptions`,
    ]);
  }
  const signingKeys = createSigningKeys({ db, secret, clock });
  // Creates the first key, or fails at startup if the stored keys cannot be decrypted.
  await signingKeys.all();
  return { isNew, secret, signingKeys };
}

/** Reports whether this is the secret of the database. The first secret that is checked becomes the secret of the database. */
export async function checkSecret(db: Database, secret: Buffer): Promise<boolean> {
  const facts = createInstallationRepository(db);
  const value = checkValueOf(secret);
  if ((await facts.find(SECRET_CHECK)) === undefined) await facts.add(SECRET_CHECK, value);
  return (await facts.find(SECRET_CHECK)) === value;
}

/** Makes this the secret of the database. Data encrypted with the previous secret stays unreadable. */
export async function replaceSecret(db: Database, secret: Buffer): Promise<void> {
  await inTransaction(db, async (trx) => {
    await createInstallationRepository(trx).put(SECRET_CHECK, checkValueOf(secret));
    await recordAction(trx, { action: 'secret.replaced', spaceId: null, resourceId: null });
  });
}
