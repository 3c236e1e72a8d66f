import type { ParseArgsOptionsConfig } from 'node:util';
import type { Settings } from '../../platform/settings/index.ts';

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
  /** Throws `OperatorFailure` for what the operator can mend. */
  run(context: CommandContext): Promise<void>;
}
