import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { collect, inheritedVariables } from './child-server.ts';
import { programOfCommands, programOfService } from './program.ts';

export interface Ended {
  /** Exit code, or `null` if a signal ended the process. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process that may exit before it is ready. */
export interface RunningService {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
}

export function runService(env: Readonly<Record<string, string>>): RunningService {
  return runProgram(programOfService(), [], env);
}

export function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): RunningService {
  return runProgram(programOfCommands(), args, env);
}

/**
 * Runs a program with the given environment and the inherited variables.
 *
 * @param prefix a command that executes the command of its arguments, such as `setpriv`. Empty: the program is run directly.
 */
export function runProgram(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  prefix: readonly string[] = [],
): RunningService {
  const [command = '', ...rest] = [...prefix, process.execPath, file, ...args];
  const child = spawn(command, rest, {
    env: { ...inheritedVariables(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { process: child, ended: endOf(child) };
}

async function endOf(child: ChildProcess): Promise<Ended> {
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  await once(child, 'close');
  return { code: child.exitCode, stdout: stdout(), stderr: stderr() };
}
