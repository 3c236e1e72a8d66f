import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const EXAMPLES = join(import.meta.dirname, '../../../../examples');
/** The jar of the Debian package `libgoogle-gson-java`. */
const GSON = '/usr/share/java/gson.jar';

type Command = readonly [string, ...string[]];

/** An example program in `examples/`. */
export interface ExampleProgram {
  readonly language: string;
  /** Returns the missing tool, or `undefined` if the program can run. */
  missing(): string | undefined;
  /** Returns the commands that compile the program into a folder. */
  build?(folder: string): Command;
  /** Returns the command that creates a link or sends events. */
  command(folder: string): Command;
  /** Returns the command that receives webhooks. Default: `command` with the argument `listen`. */
  receiver?(port: number): Command;
}

export const EXAMPLE_PROGRAMS: readonly ExampleProgram[] = [
  {
    language: 'Python',
    missing: () => missingTool(['python3', '--version']),
    command: () => ['python3', join(EXAMPLES, 'python/gatehouse.py')],
  },
  {
    language: 'Go',
    missing: () => missingTool(['go', 'version']),
    build: (folder) => [
      ...(['go', 'build', '-o', join(folder, 'gatehouse')] as const),
      join(EXAMPLES, 'go/gatehouse.go'),
    ],
    command: (folder) => [join(folder, 'gatehouse')],
  },
  {
    language: 'Java',
    missing: () =>
      missingTool(['javac', '-version']) ?? (existsSync(GSON) ? undefined : 'libgoogle-gson-java'),
    build: (folder) => ['javac', '-cp', GSON, '-d', folder, join(EXAMPLES, 'java/Gatehouse.java')],
    // Only the first compiler, because the programs run for less than a second.
    command: (folder) => [
      'java',
      '-XX:TieredStopAtLevel=1',
      '-cp',
      `${GSON}:${folder}`,
      'Gatehouse',
    ],
  },
  {
    language: 'PHP',
    missing: () => missingTool(['php', '--version']),
    command: () => ['php', join(EXAMPLES, 'php/gatehouse.php')],
    receiver: (port) => ['php', '-S', `127.0.0.1:${port}`, join(EXAMPLES, 'php/webhook.php')],
  },
  {
    language: 'Ruby',
    missing: () =>
      missingTool(['ruby', '--version']) ?? missingTool(['ruby', '-e', 'require "webrick"']),
    command: () => ['ruby', join(EXAMPLES, 'ruby/gatehouse.rb')],
  },
];

function missingTool([name, ...args]: Command): string | undefined {
  return spawnSync(name, args).status === 0 ? undefined : name;
}

export async function build(program: ExampleProgram, folder: string): Promise<void> {
  const [name, ...args] = program.build?.(folder) ?? ['true'];
  await promisify(execFile)(name, args);
}

export interface Finished {
  readonly status: number | null;
  /** Both standard output and standard error. */
  readonly output: string;
}

export async function runProgram(
  [name, ...args]: Command,
  env: Readonly<Record<string, string>>,
): Promise<Finished> {
  const child = spawn(name, args, { env: { ...process.env, ...env }, stdio: OUTPUT_ONLY });
  const output = outputOf(child);
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, output: output() };
}

export interface RunningProgram extends AsyncDisposable {
  output(): string;
}

export function startProgram(
  [name, ...args]: Command,
  env: Readonly<Record<string, string>>,
): RunningProgram {
  const child = spawn(name, args, { env: { ...process.env, ...env }, stdio: OUTPUT_ONLY });
  return {
    output: outputOf(child),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill();
      await once(child, 'exit');
    },
  };
}

const OUTPUT_ONLY: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];

function outputOf(child: ChildProcess): () => string {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  return () => output;
}
