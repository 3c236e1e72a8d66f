import {
  acceptSecret,
  confirmSecret,
  EXIT,
  OperatorFailure,
  openSecretOf,
  WrongSecret,
} from '../../platform/installation/index.ts';
import { removeUnreadableKeys } from '../../platform/signing-keys/index.ts';
import type { Command } from './command.ts';
import { openWhole } from './stores.ts';

/** `replace-secret` */
export const replaceSecret: Command = {
  name: 'replace-secret',
  summary: 'Goes on with another secret, when the one of the database is lost.',
  help: `The secret that is set now (GATEHOUSE_SECRET, or keys/secret in the data directory) becomes the one of the
database. What was encrypted with the one before stays lost: people behind links have to open them
again, and the secrets of all event sources and subscriptions have to be set anew; until then
signatures are refused and deliveries wait. Stop the service first, everywhere.

If the former secret can be found anywhere, set that instead: nothing is lost then.`,
  options: {},

  async run({ settings, say, report }) {
    const { secret } = openSecretOf(settings);
    await using store = await openWhole(settings, report);
    const { db, leases } = store;
    if (await leases.isAnyHeld())
      throw new OperatorFailure(EXIT.tryLater, [
        'a service is running on the database; stop all of them and wait five seconds',
      ]);
    if (await isSecretOf(db, secret))
      throw new OperatorFailure(EXIT.wrongUse, [
        'this is the secret of the database; nothing to do',
      ]);
    await removeUnreadableKeys(db, secret);
    await acceptSecret(db, secret);
    say('The secret was replaced. Event sources and subscriptions need new secrets.');
  },
};

async function isSecretOf(
  db: Parameters<typeof confirmSecret>[0],
  secret: Buffer,
): Promise<boolean> {
  try {
    await confirmSecret(db, secret);
    return true;
  } catch (error) {
    if (error instanceof WrongSecret) return false;
    throw error;
  }
}
