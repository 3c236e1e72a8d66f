import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { inheritedVariables } from '../../server/tests/support/services/child-server.ts';
import { run as runHere } from '../src/run.ts';
import type { Shell } from '../src/shell/shell.ts';

export const MAIN = join(import.meta.dirname, '../src/main.ts');
/** Folder of compiled code, shared with the services of the tests. */
export const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/gatehouse');

export interface Ended {
  /** Exit code. `null` if a signal ended the process. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Running {
  readonly ended: Promise<Ended>;
  /** Returns the standard output so far. */
  out(): string;
  /** Returns the standard error so far. */
  err(): string;
  kill(signal: NodeJS.Signals): void;
}

export interface CommandLine {
  /** Runs a command to its end. */
  run(args: readonly string[], input?: string): Promise<Ended>;
  /** Runs a command with `--json` that must succeed. Returns its lines, or its document as the only element. */
  json<T>(args: readonly string[], input?: string): Promise<readonly T[]>;
  /** Starts a command. */
  start(args: readonly string[], input?: string): Running;
  with(env: Readonly<Record<string, string>>): CommandLine;
  /** Returns a command line whose commands run in processes of their own. */
  inProcesses(): CommandLine;
}

type Start = (args: readonly string[], env: NodeJS.ProcessEnv, input: string) => Running;

/**
 * Returns a command line with only the given variables and the inherited ones of the system. Its commands run in the
 * process of the test with their own streams, signals and variables, because the start of a process takes longer than
 * most commands.
 */
export function commandLine(env: Readonly<Record<string, string>>, begin = startHere): CommandLine {
  const start = (args: readonly string[], input = '') =>
    begin(args, { ...inheritedVariables(), ...env }, input);
  const run = (args: readonly string[], input?: string) => start(args, input).ended;
  return {
    start,
    run,
    with: (more) => commandLine({ ...env, ...more }, begin),
    inProcesses: () => commandLine(env, startProcess),
    json: async (args, input) => {
      const { code, out, err } = await run([...args, '--json'], input);
      if (code !== 0) throw new Error(`exit code ${code}: ${err}`);
      return parseAll(out);
    },
  };
}

const startHere: Start = (args, env, input) => {
  const signals = new EventEmitter();
  const [stdout, stderr] = [sink(), sink()];
  const shell = {
    env,
    stdin: Readable.from(input === '' ? [] : [Buffer.from(input)]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    on: signals.on.bind(signals),
    removeAllListeners: signals.removeAllListeners.bind(signals),
    exit: (code: number) => {
      throw new Error(`a command ended the process with ${code}`);
    },
  };
  // Streams that are not terminals lack only the members of terminals.
  const ended = runHere(args, shell as unknown as Shell).then((code) => ({
    code,
    out: stdout.text(),
    err: stderr.text(),
  }));
  return {
    ended,
    out: stdout.text,
    err: stderr.text,
    kill: (signal) => void signals.emit(signal),
  };
};

const startProcess: Start = (args, env, input) => {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { NODE_COMPILE_CACHE: CACHE, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = [sink(), sink()];
  child.stdout.pipe(stdout.stream);
  child.stderr.pipe(stderr.stream);
  // The command may end before it has read its input.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const ended = once(child, 'close').then(() => ({
    code: child.exitCode,
    out: stdout.text(),
    err: stderr.text(),
  }));
  return { ended, out: stdout.text, err: stderr.text, kill: (signal) => void child.kill(signal) };
};

function sink(): { readonly stream: Writable; readonly text: () => string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}

/** Parses one JSON document, or lines of JSON. */
export function parseAll<T>(text: string): readonly T[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  }
}
