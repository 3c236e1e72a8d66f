import { openInstallation, openSecretOf } from '../../platform/installation/index.ts';
import { type Command, openTables } from './command.ts';

export const rotateSigningKey: Command = {
  name: 'rotate-signing-key',
  summary: 'Creates a new key for widget sessions; open sessions stay valid.',
  help: `  --at-once   The new key signs immediately, and sessions signed with earlier keys are rejected. Other replicas follow
              within ten seconds. Open chats exchange their link again automatically. Use this option if a key may be
              compromised.

Without the option the new key is published first and signs after ten minutes; the previous key verifies for one more
day. The service may be running. Keys are also rotated automatically after 90 days.`,
  options: { 'at-once': { type: 'boolean' } },

  async run({ settings, options, report }) {
    await using store = await openTables(settings, report);
    const { signingKeys } = await openInstallation(openSecretOf(settings), store);
    const { kid, signsFrom } = await signingKeys.rotate({ atOnce: options['at-once'] === true });
    const time = new Date(signsFrom).toISOString();
    const from = signsFrom > store.clock() ? time : 'now on';
    return {
      value: { kid, signsFrom: time },
      lines: [`The key ${kid} signs widget sessions from ${from}.`],
    };
  },
};
