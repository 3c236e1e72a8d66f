import type { Command } from 'commander';
import { createProgram } from './program.ts';

/** Returns all visible commands without sub-commands, for documentation. They cannot be run. */
export function commandReference(): Command[] {
  const program = createProgram({
    open: () => {
      throw new TypeError('the commands of the reference cannot be run');
    },
    write: () => {},
    complain: () => {},
  });
  return leavesOf(program);
}

function leavesOf(command: Command): Command[] {
  const children = command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help');
  return children.length === 0 ? [command] : children.flatMap(leavesOf);
}
