import { openOneTimeLinks } from '../../identity/index.ts';
import { EXIT, OperatorFailure } from '../../platform/installation/index.ts';
import { publicBaseUrl } from '../../platform/settings/index.ts';
import { type Command, type CommandContext, type CommandResult, openTables } from './command.ts';
import { linkResult } from './link-text.ts';

const EMAIL = {
  options: { email: { type: 'string' } },
  positional: { option: 'email', placeholder: '<email>' },
} as const;

export const resetPassword: Command = {
  name: 'reset-password',
  summary: 'Prints a link with which a user sets a new password.',
  help: `  <email>           The address of the user.
  --email <email>   The same, as an option.

The link is valid for 24 hours, works once and replaces earlier reset links of the user. Redeeming it ends all sessions of the
user and lifts the block after failed sign-ins. Until then the current password stays valid. The service may be running.`,
  ...EMAIL,
  run: (context) => printLink('reset', context),
};

export const signInLink: Command = {
  name: 'sign-in-link',
  summary: 'Prints a link that signs a user in without a password.',
  help: `  <email>           The address of the user.
  --email <email>   The same, as an option.

The link is valid for five minutes, works once and replaces earlier sign-in links of the user. Anybody who has the link can act as
the user. The service may be running.`,
  ...EMAIL,
  run: (context) => printLink('sign-in', context),
};

async function printLink(
  purpose: 'reset' | 'sign-in',
  { settings, options, report }: CommandContext,
): Promise<CommandResult> {
  const { email } = options;
  if (typeof email !== 'string' || email === '')
    throw new OperatorFailure(EXIT.wrongUse, [
      `the email address of the user is missing: ${purpose === 'reset' ? 'reset-password' : 'sign-in-link'} <email>`,
    ]);
  if (purpose === 'reset' && settings.passwordSignIn === 'off')
    throw new OperatorFailure(EXIT.wrongUse, [
      'GATEHOUSE_PASSWORD_SIGN_IN is off, so users have no passwords; run sign-in-link instead',
    ]);
  await using store = await openTables(settings, report);
  const link = await openOneTimeLinks(store.db, store.clock).issue(purpose, { email });
  if (link === 'unknown-user')
    throw new OperatorFailure(EXIT.wrongUse, [
      'no user has this email address; check the spelling',
    ]);
  if (link === 'disabled-user')
    throw new OperatorFailure(EXIT.wrongUse, [
      'this user is disabled; an administrator must enable the user first',
    ]);
  if (link === 'linked-user')
    throw new OperatorFailure(EXIT.wrongUse, [
      'this user signs in through single sign-on and has no password; run sign-in-link instead',
    ]);
  const baseUrl = publicBaseUrl(settings, settings.port);
  return linkResult({ ...link, purpose, baseUrl });
}
