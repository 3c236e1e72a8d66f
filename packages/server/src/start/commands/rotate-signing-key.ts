import { openInstallation, openSecretOf } from '../../platform/installation/index.ts';
import { type Command, openTables } from './command.ts';

/** `rotate-signing-key [--at-once]` */
export const rotateSigningKey: Command = {
  name: 'rotate-signing-key',
  summary: 'Makes a new key for widget sessions; open sessions go on.',
  help: `  --at-once   The new key signs now, and sessions signed with an earlier one are refused, on other replicas
              within ten seconds. Open chats exchange their link again by themselves. For when a key
              may have become known.

Without it the new key is published first and signs ten minutes later; the one before verifies for a day
more. The service may be running. Keys are changed by their age, too: after 90 days.`,
  options: { 'at-once': { type: 'boolean' } },

  async run({ settings, options, say, report }) {
    const secret = openSecretOf(settings);
    await using store = await openTables(settings, report);
    const { signingKeys } = await openInstallation(secret, { db: store.db, clock: Date.now });
    const { kid, signsFrom } = await signingKeys.rotate({ atOnce: options['at-once'] === true });
    const from = signsFrom > Date.now() ? new Date(signsFrom).toISOString() : 'now on';
    say(`The key ${kid} signs widget sessions from ${from}.`);
  },
};
