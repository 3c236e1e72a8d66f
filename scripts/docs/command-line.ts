import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandReference } from '../../packages/cli/src/reference.ts';

type Command = ReturnType<typeof commandReference>[number];

const FILE = join(import.meta.dirname, '../../packages/cli/README.md');
const REFERENCE = /(<!-- commands: begin[^>]*-->\n)[\s\S]*?(<!-- commands: end -->)/;

/** Returns the README of the command line with the reference of all commands. */
export function renderCommandLine(): string {
  const text = readFileSync(FILE, 'utf8');
  if (!REFERENCE.test(text))
    throw new Error(`${FILE} has no markers for the reference of commands`);
  const reference = commandReference().map(describe).join('\n');
  return text.replace(
    REFERENCE,
    (_, begin: string, end: string) => `${begin}\n${reference}\n${end}`,
  );
}

function describe(command: Command): string {
  const help = command.createHelp();
  const options = help.visibleOptions(command).filter(({ long }) => long !== '--help');
  const terms = [
    ...command.registeredArguments.map((one) => [
      help.argumentTerm(one),
      help.argumentDescription(one),
    ]),
    ...options.map((one) => [help.optionTerm(one), help.optionDescription(one)]),
  ];
  const rows = terms.map(([term = '', text = '']) => `| \`${cell(term)}\` | ${cell(text)} |`);
  const table = rows.length === 0 ? [] : ['| | |', '|---|---|', ...rows, ''];
  return [`### ${pathOf(command)}`, '', cell(command.description()), '', ...table].join('\n');
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
