import { Command } from 'commander';
import { EXIT, Failure, wrongUse } from '../shell/failure.ts';
import type { Shell } from '../shell/shell.ts';
import type { Binding } from './binding.ts';

const ADMIN = 'admin';
const JSON_OPTION = '--json';

/** Commands of the server package, which are also accepted without `admin`. A test compares them with the server. */
export const OPERATOR_COMMANDS = {
  'setup-link': 'Print a link that creates the first administrator.',
  'reset-password': 'Print a link with which a user sets a new password.',
  'sign-in-link': 'Print a link that signs a user in without a password.',
  'remove-second-factor': 'Remove the second factor of a user who has lost it.',
  backup: 'Back up the data directory while the service runs.',
  copy: 'Copy all data to PostgreSQL, or back to a data directory.',
  'rotate-signing-key': 'Create a new key for widget sessions; open sessions stay valid.',
  'replace-secret': 'Replace the secret of the database if it is lost.',
} as const;

/** Variables of this command line. The server package rejects variables that it does not know. */
const OWN_VARIABLES: readonly string[] = [
  'GATEHOUSE_URL',
  'GATEHOUSE_KEY',
  'GATEHOUSE_SPACE',
  'GATEHOUSE_LINK',
  'GATEHOUSE_LISTEN_SECRET',
];

/**
 * Adds `admin` to the help and the completion. `runAdmin` handles its arguments, which the server package parses, except after an
 * option that has no effect on them.
 */
export function addAdmin(program: Command, _binding: Binding): void {
  const admin = program
    .command(ADMIN)
    .summary('Commands for operators, if the server package is installed.')
    .description(
      'Commands for operators. They read the settings of the service from environment variables and need the server package (@gatehouse/server).',
    );
  for (const [name, summary] of Object.entries(OPERATOR_COMMANDS))
    admin.addCommand(
      new Command(name)
        .description(summary)
        .allowExcessArguments()
        .allowUnknownOption()
        .action(() => {
          throw wrongUse(
            `Operator commands read the settings of the service from environment variables. Write "gatehouse ${ADMIN} ${name}" without other options before it.`,
          );
        }),
    );
}

/** Returns the arguments of an operator command, or `undefined` for other commands. */
export function adminArguments(args: readonly string[]): readonly string[] | undefined {
  const [first, ...rest] = args;
  if (first === JSON_OPTION) {
    const operatorArguments = adminArguments(rest);
    return operatorArguments && [...operatorArguments, JSON_OPTION];
  }
  if (first === ADMIN) return rest;
  if (first === 'help' && rest[0] === ADMIN) return ['help', ...rest.slice(1)];
  const names = first === 'help' ? rest : args;
  return names[0] !== undefined && Object.hasOwn(OPERATOR_COMMANDS, names[0]) ? args : undefined;
}

/** Runs an operator command of the server package. Returns its exit code. */
export async function runAdmin(args: readonly string[], shell: Shell): Promise<number> {
  const { runCommandLine } = await loadServer();
  const output = {
    say: (line: string) => void shell.stdout.write(`${line}\n`),
    report: (line: string) => void shell.stderr.write(`${line}\n`),
  };
  const settings = Object.entries(shell.env).filter(([name]) => !OWN_VARIABLES.includes(name));
  return runCommandLine(args, Object.fromEntries(settings), output, `gatehouse ${ADMIN}`);
}

async function loadServer(): Promise<typeof import('@gatehouse/server/admin')> {
  try {
    return await import('@gatehouse/server/admin');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes('@gatehouse/server')) throw error;
    throw new Failure({
      exitCode: EXIT.misconfigured,
      code: 'cli.no-server',
      message:
        'The server package is not installed here. Run the command on the machine of the service, in its folder.',
    });
  }
}
