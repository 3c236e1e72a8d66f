import { Command } from 'commander';
import { addAdmin } from './commands/admin.ts';
import { addApi } from './commands/api.ts';
import { addAsk } from './commands/ask.ts';
import type { Binding } from './commands/binding.ts';
import { addCompletion } from './commands/completion.ts';
import { addConversations } from './commands/conversations.ts';
import { addDeliveries } from './commands/deliveries.ts';
import { addDocuments } from './commands/documents.ts';
import { addEvents } from './commands/events.ts';
import { addKeys } from './commands/keys.ts';
import { addLinks } from './commands/links.ts';
import { addListen } from './commands/listen.ts';
import { addSignIn } from './commands/sign-in.ts';
import { addSpaces } from './commands/spaces.ts';
import { id } from './input/values.ts';
import { EXIT } from './shell/failure.ts';
import { VERSION } from './version.ts';

/** Returns the tree of all commands. */
export function createProgram(binding: Binding): Command {
  const program = new Command('gatehouse')
    .description('The command line of Gatehouse.')
    .version(VERSION, '--version', 'Print the version.')
    .helpOption('-h, --help', 'Print help.')
    .helpCommand('help [command]', 'Print help on a command.')
    .option('--url <url>', 'URL of the service. Default: GATEHOUSE_URL, then the stored URL.')
    .option('--key <key>', 'API key. Other users of the machine can see it; prefer GATEHOUSE_KEY.')
    .option(
      '--space <id>',
      'ID of the space. Default: GATEHOUSE_SPACE, then the stored or only space.',
      id,
    )
    .option('--json', 'Print JSON: one document, or one line per item.')
    .addHelpText('after', HELP_END);
  for (const add of [
    addSignIn,
    addSpaces,
    addLinks,
    addKeys,
    addDocuments,
    addEvents,
    addListen,
    addDeliveries,
    addAsk,
    addConversations,
    addApi,
    addCompletion,
    addAdmin,
  ])
    add(program, binding);
  configure(program, binding);
  return program;
}

const HELP_WIDTH = 110;
const HELP_END = `
Exit codes: ${EXIT.done} success, ${EXIT.partial} some items failed, ${EXIT.wrongUse} wrong usage, ${EXIT.rejected} request rejected, ${EXIT.noInput} input not readable,
${EXIT.unreachable} service not reachable, ${EXIT.failed} internal error, ${EXIT.tryLater} try again later, ${EXIT.forbidden} not permitted, ${EXIT.misconfigured} not configured,
${EXIT.interrupted} interrupted.`;

/** Makes errors throw instead of ending the process. */
function configure(command: Command, binding: Binding): void {
  command
    .exitOverride()
    .helpOption('-h, --help', 'Print help.')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: binding.write,
      writeErr: binding.complain,
      outputError: () => {},
      getOutHelpWidth: () => HELP_WIDTH,
      getErrHelpWidth: () => HELP_WIDTH,
    });
  if (command.parent !== null && command.commands.length > 0) command.helpCommand(false);
  for (const child of command.commands) configure(child, binding);
}
