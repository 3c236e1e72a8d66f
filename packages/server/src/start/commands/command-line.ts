import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { nearestName } from '@gatehouse/contract';
import { StorageUnavailable } from '../../lib/threads/index.ts';
import { actingFrom, OPERATOR } from '../../platform/audit/index.ts';
import { EXIT, OperatorFailure, operatorFailureOf } from '../../platform/installation/index.ts';
import { type Environment, readSettings } from '../../platform/settings/index.ts';
import { backup } from './backup.ts';
import type { Command, CommandContext } from './command.ts';
import { copyCommand } from './copy.ts';
import { replaceSecretCommand } from './replace-secret.ts';
import { rotateSigningKey } from './rotate-signing-key.ts';
import { setupLink } from './setup-link.ts';
import { resetPassword, signInLink } from './user-links.ts';

type Output = Pick<CommandContext, 'say' | 'report'>;

const COMMANDS: readonly Command[] = [
  setupLink,
  resetPassword,
  signInLink,
  backup,
  copyCommand,
  rotateSigningKey,
  replaceSecretCommand,
];
const CALL = 'npm run gatehouse --';

/**
 * Runs the command that the arguments specify.
 *
 * @param args the arguments after the program's name.
 * @returns an exit code of sysexits.h: 0 for success, 64 for wrong usage, 75 if a retry may succeed, 78 for invalid
 *   settings.
 */
export async function runCommandLine(
  args: readonly string[],
  env: Environment,
  output: Output,
): Promise<number> {
  const [name, ...rest] = normalised(args);
  if (name === undefined || name === '--help') {
    output.say(overview());
    return name === undefined ? EXIT.wrongUse : EXIT.done;
  }
  const command = COMMANDS.find((one) => one.name === name);
  try {
    if (command === undefined) throw unknownCommand(name);
    return await runOne(command, rest, env, output);
  } catch (error) {
    const { exitCode, problems } = toFailure(error);
    for (const problem of problems) output.report(`gatehouse: ${problem}`);
    return exitCode;
  }
}

async function runOne(
  command: Command,
  args: readonly string[],
  env: Environment,
  output: Output,
): Promise<number> {
  const options = optionsOf(command, args);
  if (options['help'] === true) {
    output.say(`${usageOf(command)}\n\n${command.summary}\n\n${command.help}`);
    return EXIT.done;
  }
  const read = readSettings(env);
  if (!read.ok) throw new OperatorFailure(EXIT.misconfigured, read.problems);
  await actingFrom(OPERATOR, () => command.run({ settings: read.settings, options, ...output }));
  return EXIT.done;
}

/** Converts `-h`, `help` and `help <command>` to the form with `--help`. */
function normalised(args: readonly string[]): readonly string[] {
  const [first, second, ...rest] = args;
  if (first === 'help' && second !== undefined) return [second, '--help', ...rest];
  return first === '-h' || first === 'help' ? ['--help'] : args;
}

function unknownCommand(name: string): OperatorFailure {
  const names = COMMANDS.map((command) => command.name);
  const nearest = name.startsWith('-') ? undefined : nearestName(name, names);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  return wrongUse(`unknown command "${name}"${hint}`, '--help');
}

function usageOf({ name, positional, options }: Command): string {
  const parts = [
    CALL,
    name,
    positional?.placeholder,
    Object.keys(options).length > 0 && '[options]',
  ];
  return parts.filter(Boolean).join(' ');
}

function optionsOf(command: Command, args: readonly string[]): CommandContext['options'] {
  const help = { type: 'boolean', short: 'h' } as const;
  const known = { ...command.options, help };
  const { values, positionals } = parse(command, args, known);
  const [value, ...excess] = positionals;
  if (value === undefined || values['help'] === true) return values;
  const see = `${command.name} --help`;
  const unexpected = command.positional === undefined ? value : excess[0];
  if (unexpected !== undefined) throw wrongUse(`unexpected argument "${unexpected}"`, see);
  const { option = '', placeholder = '' } = command.positional ?? {};
  if (values[option] !== undefined)
    throw wrongUse(`give either ${placeholder} or --${option}, not both`, see);
  return { ...values, [option]: value };
}

function parse(
  command: Command,
  args: readonly string[],
  options: ParseArgsOptionsConfig,
): { values: CommandContext['options']; positionals: string[] } {
  for (const arg of args) {
    if (arg === '--') break;
    const [, name = ''] = /^--(?:no-)?([^=]+)/.exec(arg) ?? [];
    if (name === '' || Object.hasOwn(options, name)) continue;
    const nearest = nearestName(name, Object.keys(options));
    const hint = nearest === undefined ? '' : `; did you mean --${nearest}?`;
    throw wrongUse(`unknown option --${name}${hint}`, `${command.name} --help`);
  }
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw wrongUse((error as Error).message, `${command.name} --help`);
  }
}

function wrongUse(problem: string, help: string): OperatorFailure {
  return new OperatorFailure(EXIT.wrongUse, [`${problem}; see: ${CALL} ${help}`]);
}

function toFailure(error: unknown): OperatorFailure {
  const failure = operatorFailureOf(error);
  if (failure !== null) return failure;
  if (error instanceof StorageUnavailable)
    return new OperatorFailure(EXIT.tryLater, [`${wordsOf(error)}; try again`]);
  return new OperatorFailure(EXIT.failed, [String((error as Error).stack ?? error)]);
}

/** Returns the engine's message, which contains no values and no password. */
function wordsOf({ message, cause }: StorageUnavailable): string {
  return cause instanceof Error && cause.message !== '' ? `${message}: ${cause.message}` : message;
}

function overview(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length)) + 2;
  const lines = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`);
  return [
    `Usage: ${CALL} <command> [options]`,
    '',
    ...lines,
    '',
    'Commands read the settings of the service: environment variables, see docs/configuration.md.',
    `Help on a command: ${CALL} <command> --help`,
  ].join('\n');
}
