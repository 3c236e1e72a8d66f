import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { nearestName } from '@gatehouse/contract';
import { actingFrom, OPERATOR } from '../../platform/audit/index.ts';
import { EXIT, OperatorFailure, operatorFailureOf } from '../../platform/installation/index.ts';
import { type Environment, readSettings } from '../../platform/settings/index.ts';
import { backup } from './backup.ts';
import type { Command, CommandContext } from './command.ts';
import { copyCommand } from './copy.ts';
import { removeSecondFactorCommand } from './remove-second-factor.ts';
import { replaceSecretCommand } from './replace-secret.ts';
import { rotateSigningKey } from './rotate-signing-key.ts';
import { setupLink } from './setup-link.ts';
import { resetPassword, signInLink } from './user-links.ts';

interface Output extends Pick<CommandContext, 'report'> {
  /** Writes text to standard output. */
  readonly say: (text: string) => void;
}

const COMMANDS: readonly Command[] = [
  setupLink,
  resetPassword,
  signInLink,
  removeSecondFactorCommand,
  backup,
  copyCommand,
  rotateSigningKey,
  replaceSecretCommand,
];
/** The call of the command line from a clone of the repository. */
const CALL = 'npm run gatehouse --';

/**
 * Runs the command that the arguments specify.
 *
 * @param args the arguments after the program's name.
 * @param call the call that help and errors show before the name of a command.
 * @returns an exit code of sysexits.h: 0 for success, 64 for wrong usage, 75 if a retry may succeed, 78 for invalid
 *   settings.
 */
export async function runCommandLine(
  args: readonly string[],
  env: Environment,
  output: Output,
  call = CALL,
): Promise<number> {
  const [name, ...rest] = normalised(args);
  if (name === undefined || name === '--help') {
    output.say(overview(call));
    return name === undefined ? EXIT.wrongUse : EXIT.done;
  }
  const command = COMMANDS.find((one) => one.name === name);
  try {
    if (command === undefined) throw unknownCommand(name, call);
    return await runOne({ command, call }, rest, env, output);
  } catch (error) {
    const failure =
      error instanceof OperatorFailure
        ? error
        : new OperatorFailure(EXIT.failed, [String((error as Error).stack ?? error)]);
    for (const line of describeFailure(failure, args.includes('--json'))) output.report(line);
    return failure.exitCode;
  }
}

/** A command, and the call that its messages show. */
interface Called {
  readonly command: Command;
  readonly call: string;
}

async function runOne(
  called: Called,
  args: readonly string[],
  env: Environment,
  output: Output,
): Promise<number> {
  const { command } = called;
  const options = optionsOf(called, args);
  if (options['help'] === true) {
    output.say(`${usageOf(called)}\n\n${command.summary}\n\n${command.help}`);
    return EXIT.done;
  }
  const read = readSettings(env);
  if (!read.ok) throw new OperatorFailure(EXIT.misconfigured, read.problems);
  const { settings } = read;
  const { report } = output;
  const { value, lines } = await actingFrom(OPERATOR, () =>
    command.run({ settings, options, report }),
  ).catch((error: unknown) => {
    throw operatorFailureOf(error, { data: settings.dataDir }) ?? error;
  });
  output.say(options['json'] === true ? JSON.stringify(value, null, 2) : lines.join('\n'));
  return EXIT.done;
}

/** Converts `-h`, `help` and `help <command>` to the form with `--help`. */
function normalised(args: readonly string[]): readonly string[] {
  const [first, second, ...rest] = args;
  if (first === 'help' && second !== undefined) return [second, '--help', ...rest];
  return first === '-h' || first === 'help' ? ['--help'] : args;
}

function unknownCommand(name: string, call: string): OperatorFailure {
  const names = COMMANDS.map((command) => command.name);
  const nearest = name.startsWith('-') ? undefined : nearestName(name, names);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  return wrongUse(`unknown command "${name}"${hint}`, `${call} --help`);
}

function usageOf({ call, command: { name, positional, options } }: Called): string {
  const parts = [
    call,
    name,
    positional?.placeholder,
    Object.keys(options).length > 0 && '[options]',
  ];
  return parts.filter(Boolean).join(' ');
}

function optionsOf(called: Called, args: readonly string[]): CommandContext['options'] {
  const { command, call } = called;
  const help = { type: 'boolean', short: 'h' } as const;
  const known = { ...command.options, help, json: { type: 'boolean' } as const };
  const { values, positionals } = parse(called, args, known);
  const [value, ...excess] = positionals;
  if (value === undefined || values['help'] === true) return values;
  const see = `${call} ${command.name} --help`;
  const unexpected = command.positional === undefined ? value : excess[0];
  if (unexpected !== undefined) throw wrongUse(`unexpected argument "${unexpected}"`, see);
  const { option = '', placeholder = '' } = command.positional ?? {};
  if (values[option] !== undefined)
    throw wrongUse(`give either ${placeholder} or --${option}, not both`, see);
  return { ...values, [option]: value };
}

function parse(
  { command, call }: Called,
  args: readonly string[],
  options: ParseArgsOptionsConfig,
): { values: CommandContext['options']; positionals: string[] } {
  const see = `${call} ${command.name} --help`;
  for (const arg of args) {
    if (arg === '--') break;
    const [, name = ''] = /^--(?:no-)?([^=]+)/.exec(arg) ?? [];
    if (name === '' || Object.hasOwn(options, name)) continue;
    const nearest = nearestName(name, Object.keys(options));
    const hint = nearest === undefined ? '' : `; did you mean --${nearest}?`;
    throw wrongUse(`unknown option --${name}${hint}`, see);
  }
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw wrongUse((error as Error).message, see);
  }
}

function wrongUse(problem: string, help: string): OperatorFailure {
  return new OperatorFailure(EXIT.wrongUse, [`${problem}; see: ${help}`]);
}

/** Returns the lines that report a failure. As JSON, it has the form of all errors of the command line. */
function describeFailure({ exitCode, problems }: OperatorFailure, json: boolean): string[] {
  if (!json) return problems.map((problem) => `gatehouse: ${problem}`);
  const [name = 'failed'] = Object.entries(EXIT).find(([, code]) => code === exitCode) ?? [];
  const code = `operator.${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const issues = problems.map((message) => ({ message }));
  return [JSON.stringify({ error: { code, message: problems[0] ?? '', issues } })];
}

function overview(call: string): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length)) + 2;
  const lines = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`);
  return [
    `Usage: ${call} <command> [options]`,
    '',
    ...lines,
    '',
    'Commands read the settings of the service: environment variables, see docs/configuration.md.',
    'Every command accepts --json, which prints the result or the error as JSON.',
    `Help on a command: ${call} <command> --help`,
  ].join('\n');
}
