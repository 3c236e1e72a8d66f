import { openOneTimeLinks } from '../../identity/index.ts';
import { EXIT, OperatorFailure } from '../../platform/installation/index.ts';
import { publicBaseUrl } from '../../platform/settings/index.ts';
import { type Command, openTables } from './command.ts';
import { linkResult } from './link-text.ts';

export const setupLink: Command = {
  name: 'setup-link',
  summary: 'Prints a link that creates the first administrator.',
  help: `The link is valid for 24 hours and works once. A new link replaces the earlier one. When an administrator exists, there are no
setup links; use reset-password or sign-in-link instead. The service may be running.`,
  options: {},

  async run({ settings, report }) {
    if (settings.passwordSignIn === 'off')
      throw new OperatorFailure(EXIT.wrongUse, [
        'GATEHOUSE_PASSWORD_SIGN_IN is off, so a setup link cannot create an administrator; set GATEHOUSE_OIDC_ADMIN_GROUPS',
      ]);
    await using store = await openTables(settings, report);
    const link = await openOneTimeLinks(store.db, store.clock).issueSetup();
    if (link === null)
      throw new OperatorFailure(EXIT.wrongUse, [
        'an administrator exists; to help a user sign in, run reset-password or sign-in-link',
      ]);
    const baseUrl = publicBaseUrl(settings, settings.port);
    return linkResult({ ...link, purpose: 'setup', baseUrl });
  },
};
