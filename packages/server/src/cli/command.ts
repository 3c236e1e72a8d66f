import type { ParseArgsOptionsConfig } from 'node:util';
import type { Settings } from '../config/index.ts';

/** https://man.freebsd.org/cgi/man.cgi?sysexits */
export const EXIT = {
  done: 0,
  wrongUse: 64,
  failed: 70,
  tryLater: 75,
  misconfigured: 78,
} as const;

/** What was given behind the name of a command, by option. */
export type GivenOptions = Readonly<
  Record<string, string | boolean | (string | boolean)[] | undefined>
>;

export interface CommandContext {
  readonly settings: Settings;
  readonly options: GivenOptions;
  /** Writes a line of the result, to standard output. */
  readonly say: (line: string) => void;
  /** Writes a line about how far it has got, or a warning, to standard error. */
  readonly report: (line: string) => void;
}

/** Something that an operator can ask for. */
export interface Command {
  readonly name: string;
  /** What it does, in a line. */
  readonly summary: string;
  /** The help behind the line of use: options and what they do, and what to know before. */
  readonly help: string;
  readonly options: ParseArgsOptionsConfig;
  /** Throws `CommandFailure` for what the operator can mend. */
  run(context: CommandContext): Promise<void>;
}

/** Why a command did not do it, in lines for the operator, and the exit code. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: number;
  readonly problems: readonly string[];

  constructor(exitCode: number, problems: readonly string[]) {
    super(problems.join('\n'));
    this.exitCode = exitCode;
    this.problems = problems;
  }
}
