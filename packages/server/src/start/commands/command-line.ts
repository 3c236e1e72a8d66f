import { parseArgs } from 'node:util';
import { StorageUnavailable } from '../../lib/threads/index.ts';
import { EXIT, OperatorFailure, operatorFailureOf } from '../../platform/installation/index.ts';
import { type Environment, readSettings } from '../../platform/settings/index.ts';
import { backup } from './backup.ts';
import type { Command, CommandContext } from './command.ts';
import { copyCommand } from './copy.ts';
import { replaceSecretCommand } from './replace-secret.ts';
import { rotateSigningKey } from './rotate-signing-key.ts';

type Output = Pick<CommandContext, 'say' | 'report'>;

const COMMANDS: readonly Command[] = [backup, copyCommand, rotateSigningKey, replaceSecretCommand];
const CALL = 'npm run gatehouse --';

/**
 * Runs the command that the arguments name.
 *
 * @param args the arguments after the program's name.
 * @returns an exit code of sysexits.h: 0 for success, 64 for wrong usage, 78 for wrong settings, 75 if a retry may
 *   succeed.
 */
export async function runCommandLine(
  args: readonly string[],
  env: Environment,
  output: Output,
): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    output.say(overview());
    return name === undefined ? EXIT.wrongUse : EXIT.done;
  }
  const command = COMMANDS.find((one) => one.name === name);
  try {
    if (command === undefined) throw wrongUse(`unknown command "${name}"`, '--help');
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
    output.say(`${CALL} ${command.name}\n\n${command.summary}\n\n${command.help}`);
    return EXIT.done;
  }
  const read = readSettings(env);
  if (!read.ok) throw new OperatorFailure(EXIT.misconfigured, read.problems);
  await command.run({ settings: read.settings, options, ...output });
  return EXIT.done;
}

function optionsOf(command: Command, args: readonly string[]): CommandContext['options'] {
  try {
    const help = { type: 'boolean', short: 'h' } as const;
    const options = { ...command.options, help };
    return parseArgs({ args: [...args], options, allowPositionals: false, strict: true }).values;
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
