import type { Command } from 'commander';
import { id } from '../input/values.ts';
import { cell } from '../output/text.ts';
import { readConfiguration, writeConfiguration } from '../shell/configuration.ts';
import { EXIT, Failure } from '../shell/failure.ts';
import { checked } from '../shell/response.ts';
import { type Binding, bind } from './binding.ts';
import { printList } from './list.ts';
import { type ListOptions, pageSize, withLimit } from './options.ts';

export function addSpaces(program: Command, binding: Binding): void {
  const spaces = program.command('spaces').description('List, create and select spaces.');
  withLimit(spaces.command('list').description('List the spaces that you may see.')).action(
    bind<ListOptions>(binding, async (context, _args, options) => {
      const items = context
        .client()
        .spaces.list({ limit: pageSize(options) }, { signal: context.signal });
      await printList(context, items, options, [
        ['ID', ({ id }) => id],
        ['NAME', ({ name }) => name],
        ['CREATED', ({ createdAt }) => createdAt],
      ]);
    }),
  );
  spaces
    .command('create')
    .description('Create a space with a first bot.')
    .argument('<name>', 'Display name.')
    .action(
      bind(binding, async (context, [name = '']) => {
        const space = await context.client().spaces.create({ name }, { signal: context.signal });
        context.out.members(checked(space, { id: '' }));
      }),
    );
  spaces
    .command('show')
    .description('Print a space.')
    .argument('[space-id]', 'ID of the space. Default: the selected space.', id)
    .action(
      bind(binding, async (context, [id]) => {
        const { signal } = context;
        const spaceId = id ?? (await context.spaceId());
        const space = await context.client().spaces.get(spaceId, { signal });
        context.out.members(checked(space, { id: '' }));
      }),
    );
  spaces
    .command('use')
    .description('Store the space that commands use without --space.')
    .argument('<space-id>', 'ID of the space.', id)
    .action(
      bind(binding, async (context, [id = '']) => {
        const { shell, access, out, signal } = context;
        const stored = readConfiguration(shell);
        if (stored.url !== access.url)
          throw new Failure({
            exitCode: EXIT.misconfigured,
            code: 'cli.not-signed-in',
            message: `No sign-in is stored for ${access.url}. Run "gatehouse login", or set GATEHOUSE_SPACE.`,
          });
        const { name } = checked(await context.client().spaces.get(id, { signal }), { name: '' });
        writeConfiguration(shell, { ...stored, spaceId: id });
        out.result({ spaceId: id, name }, () => [`Commands now use the space ${cell(name)}.`]);
      }),
    );
}
