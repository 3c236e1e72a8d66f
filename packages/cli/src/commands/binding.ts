import type { Command } from 'commander';
import { keySourceOf } from '../shell/access.ts';
import type { Context } from '../shell/context.ts';
import { failureOf } from '../shell/failure.ts';
import { withOptionNames } from '../shell/option-names.ts';
import type { GlobalOptions } from '../shell/shell.ts';

export type Handler<O> = (
  context: Context,
  args: readonly string[],
  options: O,
) => void | Promise<void>;

/** Connects the commands with their surroundings. */
export interface Binding {
  open(options: GlobalOptions): Context;
  /** Writes help to standard output. */
  write(text: string): void;
  /** Writes the help after a missing command to standard error. */
  complain(text: string): void;
}

/** Returns the action of a command. `O` describes the parsed options, whose parsers have validated them. */
export function bind<O = object>(
  { open }: Binding,
  handler: Handler<O>,
): (...given: unknown[]) => Promise<void> {
  return async (...given) => {
    const command = given.at(-1) as Command;
    const context = open(command.optsWithGlobals<GlobalOptions>());
    try {
      await handler(context, command.args, command.opts<O & object>());
    } catch (error) {
      const { shell, options } = context;
      throw withOptionNames(failureOf(error, keySourceOf(shell, options)), command, shell);
    }
  };
}
