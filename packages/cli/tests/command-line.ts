import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { inheritedVariables } from '../../server/tests/support/services/child-server.ts';

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
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Returns the standard output so far. */
  out(): string;
  /** Returns the standard error so far. */
  err(): string;
}

export interface CommandLine {
  /** Runs a command to its end. */
  run(args: readonly string[], input?: string): Promise<Ended>;
  /** Runs a command with `--json` that must succeed. Returns its lines, or its document as the only element. */
  json<T>(args: readonly string[], input?: string): Promise<readonly T[]>;
  /** Starts a command. */
  start(args: readonly string[], input?: string): Running;
  with(env: Readonly<Record<string, string>>): CommandLine;
}

/** Returns a command line whose processes have only the given variables and the inherited ones of the system. */
export function commandLine(env: Readonly<Record<string, string>>): CommandLine {
  const start = (args: readonly string[], input = ''): Running => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      env: { ...inheritedVariables(), NODE_COMPILE_CACHE: CACHE, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const [out, err] = [textOf(child.stdout), textOf(child.stderr)];
    // The command may end before it has read its input.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const ended = once(child, 'close').then(() => ({
      code: child.exitCode,
      out: out(),
      err: err(),
    }));
    return { process: child, ended, out, err };
  };
  const run = (args: readonly string[], input?: string) => start(args, input).ended;
  return {
    start,
    run,
    with: (more) => commandLine({ ...env, ...more }),
    json: async (args, input) => {
      const { code, out, err } = await run([...args, '--json'], input);
      if (code !== 0) throw new Error(`exit code ${code}: ${err}`);
      return parseAll(out);
    },
  };
}

/** Parses one JSON document, or lines of JSON. */
export function parseAll<T>(text: string): readonly T[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  }
}

function textOf(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString();
}
