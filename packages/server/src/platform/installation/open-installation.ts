import type { Clock } from '../../lib/scheduling/index.ts';
import type { Database } from '../../storage/ports/index.ts';
import { COPY_FACT, isUnfinished } from '../copy/index.ts';
import {
  ConfigError,
  type FormerKeyFile,
  findFormerKey,
  type OpenedSecret,
  openSecret,
  type Settings,
} from '../settings/index.ts';
import { createSigningKeys, parseSigningKey, type SigningKeys } from '../signing-keys/index.ts';
import { createInstallationRepository } from './installation.repository.ts';
import { confirmSecret, WrongSecret } from './secret-check.service.ts';

export interface Installation {
  /** 32 bytes. Derive a key for each purpose from it; never use it as it is. */
  readonly secret: Buffer;
  readonly signingKeys: SigningKeys;
}

export interface InstallationParts {
  readonly settings: Pick<Settings, 'dataDir' | 'databaseUrl'>;
  readonly db: Database;
  readonly clock: Clock;
  /** Hears what became of the key file of an earlier release. */
  readonly tell: (path: string, words: string) => void;
}

/** The secret of the installation. With a database server nothing is read from or kept in the data directory. Throws `ConfigError`. */
export function openSecretOf(
  settings: Pick<Settings, 'dataDir' | 'databaseUrl' | 'secret'>,
): OpenedSecret {
  const given = settings.secret?.reveal() ?? null;
  if (settings.databaseUrl === null) return openSecret(settings.dataDir, given);
  if (given === null) throw new ConfigError(['GATEHOUSE_SECRET: must be set']);
  return { secret: given, from: 'GATEHOUSE_SECRET', takeBack: null };
}

/**
 * Confirms the secret against the database and opens the signing keys that are sealed with it; the key file
 * of an earlier release is taken over, once. Throws `ConfigError`.
 */
export async function openInstallation(
  { secret, from, takeBack }: OpenedSecret,
  { settings, db, clock, tell }: InstallationParts,
): Promise<Installation> {
  const file = settings.databaseUrl === null ? findFormerKey(settings.dataDir) : null;
  const former = file === null ? null : textOf(file);
  if (isUnfinished(await createInstallationRepository(db).find(COPY_FACT)))
    throw new ConfigError([UNFINISHED]);
  await confirmSecret(db, secret).catch((error) => {
    if (!(error instanceof WrongSecret)) throw error;
    takeBack?.();
    throw new ConfigError([wrongSecret(from)]);
  });
  const signingKeys = createSigningKeys({ db, secret, clock, former });
  const keys = await signingKeys.all();
  if (file !== null) putAway(file, keys, tell);
  return { secret, signingKeys };
}

const UNFINISHED =
  'a copy into this database was begun and has not ended: run "npm run gatehouse -- copy" again, as before, or empty the database';

function textOf(file: FormerKeyFile): string {
  if (parseSigningKey(file.text) !== undefined) return file.text;
  throw new ConfigError([
    `${file.path}: is not an Ed25519 private key as a JWK; restore it from a backup, or delete it and a new one is made (open widget sessions then have to exchange their link again)`,
  ]);
}

/** The key is on disk in the database by now; the file would be a second place to keep secret. */
function putAway(
  file: FormerKeyFile,
  keys: readonly { readonly kid: string }[],
  tell: InstallationParts['tell'],
): void {
  const kid = parseSigningKey(file.text)?.kid;
  if (keys.some((key) => key.kid === kid)) {
    file.remove();
    tell(file.path, 'the key of widget sessions is in the database now; its file was removed');
  } else tell(file.path, 'this key is not used any more; delete the file');
}

function wrongSecret(from: string): string {
  return `${from}: is not the secret that this database was made with. Give it the right one, from wherever a copy is kept. If there is none, "npm run gatehouse -- replace-secret" goes on with this one; people behind links then have to open them again, and the secrets of all event sources and subscriptions have to be set anew`;
}
