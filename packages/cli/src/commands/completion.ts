import { Argument, type Command, type Option } from 'commander';
import { SCRIPTS, type ShellName } from '../output/completion-scripts.ts';
import { type Binding, bind } from './binding.ts';

const SHELLS = Object.keys(SCRIPTS) as ShellName[];

/** Adds `completion`, and the hidden command that its scripts call. */
export function addCompletion(program: Command, binding: Binding): void {
  program
    .command('completion')
    .summary('Print a completion script for bash, zsh or fish.')
    .description(
      `Print a completion script. For bash, add 'source <(gatehouse completion bash)' to ~/.bashrc. For zsh, add 'source <(gatehouse completion zsh)' to ~/.zshrc after compinit. For fish, run 'gatehouse completion fish > ~/.config/fish/completions/gatehouse.fish'.`,
    )
    .addArgument(new Argument('<shell>', 'Name of the shell.').choices(SHELLS))
    .action(bind(binding, (_context, [shell]) => binding.write(SCRIPTS[shell as ShellName])));
  program
    .command('__complete', { hidden: true })
    .argument('[word...]')
    .allowUnknownOption()
    .helpOption(false)
    .action(
      bind(binding, (_context, words) => {
        for (const { name, description } of candidates(program, words))
          binding.write(`${name}\t${description}\n`);
      }),
    );
}

interface Candidate {
  readonly name: string;
  readonly description: string;
}

/** Returns the words that can replace the last word. The list is empty where the shell completes file names. */
export function candidates(program: Command, words: readonly string[]): Candidate[] {
  const current = words.at(-1) ?? '';
  let command = program;
  let position = 0;
  let pending: Option | undefined;
  for (const word of words.slice(0, -1)) {
    if (pending !== undefined) pending = undefined;
    else if (word.startsWith('-'))
      pending = optionsOf(command).find((one) => takesValue(one) && one.long === word);
    else {
      const child: Command | undefined = command.commands.find((one) => one.name() === word);
      if (child === undefined) position++;
      else command = child;
    }
  }
  return possible(command, current, position, pending).filter(({ name }) =>
    name.startsWith(current),
  );
}

function possible(
  command: Command,
  current: string,
  position: number,
  pending: Option | undefined,
): Candidate[] {
  if (pending !== undefined) return named(pending.argChoices);
  if (current.startsWith('-'))
    return optionsOf(command).map(({ long, description }) => ({ name: long ?? '', description }));
  if (command.commands.length === 0)
    return named(command.registeredArguments[position]?.argChoices);
  return command
    .createHelp()
    .visibleCommands(command)
    .map((one) => ({ name: one.name(), description: one.summary() || one.description() }));
}

function named(names: readonly string[] = []): Candidate[] {
  return names.map((name) => ({ name, description: '' }));
}

function optionsOf(command: Command): Option[] {
  const help = command.createHelp();
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}
