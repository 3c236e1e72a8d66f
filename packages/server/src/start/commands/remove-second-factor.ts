import { removeSecondFactorOf } from '../../identity/index.ts';
import { EXIT, OperatorFailure } from '../../platform/installation/index.ts';
import { type Command, openTables } from './command.ts';

export const removeSecondFactorCommand: Command = {
  name: 'remove-second-factor',
  summary: 'Removes the second factor of a user who has lost it.',
  help: `  <email>           The address of the user.
  --email <email>   The same, as an option.

The next sign-in needs only the password, and the user can set up a new authenticator app. Sessions continue. The service may be
running.`,
  options: { email: { type: 'string' } },
  positional: { option: 'email', placeholder: '<email>' },

  async run({ settings, options, report }) {
    const { email } = options;
    if (typeof email !== 'string' || email === '')
      throw new OperatorFailure(EXIT.wrongUse, [
        'the email address of the user is missing: remove-second-factor <email>',
      ]);
    await using store = await openTables(settings, report);
    const removed = await removeSecondFactorOf(store.db, email);
    if (removed === 'unknown-user')
      throw new OperatorFailure(EXIT.wrongUse, [
        'no user has this email address; check the spelling',
      ]);
    return {
      value: { isRemoved: removed === 'removed' },
      lines: [
        removed === 'removed'
          ? 'The second factor was removed. The next sign-in needs only the password.'
          : 'This user has no second factor.',
      ],
    };
  },
};
