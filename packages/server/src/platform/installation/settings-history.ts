import { createHmac, hkdfSync } from 'node:crypto';
import { type Database, inTransaction } from '../../storage/ports/index.ts';
import { recordAction } from '../audit/index.ts';
import { effectiveSettings, type Settings } from '../settings/index.ts';
import { createInstallationRepository } from './installation.repository.ts';

const FACT = 'settings';
/** Each replica may have its own value. */
const PER_PROCESS = new Set(['GATEHOUSE_HOST', 'GATEHOUSE_PORT']);
const SECRET_PREFIX = 'secret ';

/** The text of each setting, or a keyed hash of a secret. Null if the setting has no value. */
type Snapshot = Readonly<Record<string, string | null>>;

/**
 * Compares the settings with those of the previous start and records changes in the audit, as an action of the operator. The address and
 * the port are not compared. The entry contains old and new values, but only the names of changed secrets. At the first start,
 * nothing is recorded. If several replicas start with the same new settings, one of them records the change.
 */
export async function recordSettings(
  db: Database,
  secret: Buffer,
  settings: Pick<Settings, 'given'>,
): Promise<void> {
  const now = snapshotOf(settings.given.reveal(), secret);
  await inTransaction(db, async (trx) => {
    const facts = createInstallationRepository(trx);
    const stored = await facts.find(FACT);
    if (stored === undefined) return facts.add(FACT, JSON.stringify(now));
    const before = JSON.parse(stored) as Snapshot;
    const names = [...new Set([...Object.keys(before), ...Object.keys(now)])]
      .filter((name) => (before[name] ?? null) !== (now[name] ?? null))
      .sort();
    if (names.length === 0) return;
    // Another replica may have recorded the change in the meantime.
    if (!(await facts.replace(FACT, stored, JSON.stringify(now)))) return;
    const settingChanges = names.map((name) => ({
      name,
      from: shown(before[name]),
      to: shown(now[name]),
    }));
    await recordAction(trx, {
      action: 'settings.changed',
      spaceId: null,
      resourceId: null,
      details: { settings: settingChanges },
    });
  });
}

function snapshotOf(given: Readonly<Record<string, string | undefined>>, secret: Buffer): Snapshot {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'gatehouse settings', 32));
  const hashOf = (name: string, text: string) =>
    SECRET_PREFIX + createHmac('sha256', key).update(`${name}\n${text}`).digest('base64url');
  const compared = effectiveSettings(given).filter(({ name }) => !PER_PROCESS.has(name));
  return Object.fromEntries(
    compared.map(({ name, value, isSecret }) => {
      const text = given[name];
      return [name, isSecret && text !== undefined ? hashOf(name, text) : value];
    }),
  );
}

function shown(stored: string | null | undefined): string | null {
  if (stored === null || stored === undefined) return null;
  return stored.startsWith(SECRET_PREFIX) ? '[secret]' : stored;
}
