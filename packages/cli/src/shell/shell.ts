import type { ReadStream, WriteStream } from 'node:tty';

/** The process that the command line uses. */
export interface Shell {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
  readonly stderr: WriteStream;
  on(event: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  removeAllListeners(event: 'SIGINT' | 'SIGTERM'): unknown;
  exit(code: number): never;
}

/** Options that every command accepts. */
export interface GlobalOptions {
  readonly url?: string;
  readonly key?: string;
  readonly space?: string;
  readonly json?: boolean;
}
