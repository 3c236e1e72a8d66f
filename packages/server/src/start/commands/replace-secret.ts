import {
  checkSecret,
  EXIT,
  OperatorFailure,
  openSecretOf,
  replaceSecret,
} from '../../platform/installation/index.ts';
import { createSigningKeyRepository } from '../../platform/signing-keys/index.ts';
import { type Command, openWholeStore } from './command.ts';

/** `replace-secret` */
export const replaceSecretCommand: Command = {
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
    await using store = await openWholeStore(settings, report);
    const { db, leases } = store;
    if (await leases.isAnyHeld())
      throw new OperatorFailure(EXIT.tryLater, [
        'a service is running on the database; stop all of them and wait five seconds',
      ]);
    if (await checkSecret(db, secret))
      throw new OperatorFailure(EXIT.wrongUse, [
        'this is the secret of the database; nothing to do',
      ]);
    await createSigningKeyRepository(db, secret).removeUnreadable();
    await replaceSecret(db, secret);
    say('The secret was replaced. Event sources and subscriptions need new secrets.');
  },
};
