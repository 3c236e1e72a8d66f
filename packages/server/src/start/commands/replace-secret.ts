import {
  checkSecret,
  EXIT,
  OperatorFailure,
  openSecretOf,
  replaceSecret,
} from '../../platform/installation/index.ts';
import { createSigningKeyRepository } from '../../platform/signing-keys/index.ts';
import { existingDatabase } from '../../storage/sqlite/index.ts';
import { type Command, openWholeStore } from './command.ts';

export const replaceSecretCommand: Command = {
  name: 'replace-secret',
  summary: 'Replaces the secret of the database if it is lost.',
  help: `The current secret (GATEHOUSE_SECRET, or keys/secret in the data directory) becomes the secret of the database.
Data encrypted with the lost secret stays unreadable. Widget sessions end, and open chats exchange their links again.
Set new secrets for all event sources and subscriptions; until then signatures are rejected and deliveries wait.
Users with a second factor sign in with a recovery code, or after remove-second-factor.
Stop all services first.

If you find the lost secret, configure it instead of running this command.`,
  options: {},

  async run({ settings, report }) {
    if (settings.databaseUrl === null) existingDatabase(settings.dataDir);
    const opened = openSecretOf(settings);
    await using store = await openWholeStore(settings, report);
    const { db, leases } = store;
    if (await leases.isAnyHeld())
      throw new OperatorFailure(EXIT.tryLater, [
        'a service is running on the database; stop all of them and wait five seconds',
      ]);
    const secret = opened.secret ?? opened.create();
    if (await checkSecret(db, secret))
      throw new OperatorFailure(EXIT.wrongUse, [
        'this is the secret of the database; nothing to do',
      ]);
    await createSigningKeyRepository(db, secret).removeUnreadable();
    await replaceSecret(db, secret);
    return {
      value: { isReplaced: true },
      lines: [
        'The secret was replaced. Event sources and subscriptions need new secrets, and authenticator apps must be set up again.',
      ],
    };
  },
};
