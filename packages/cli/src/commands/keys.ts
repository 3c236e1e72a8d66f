import type { NewApiKey } from '@gatehouse/client';
import { type Command, Option } from 'commander';
import { duration, id } from '../input/values.ts';
import { cell, columns } from '../output/text.ts';
import { checkEmpty, checked } from '../shell/response.ts';
import { type Binding, bind } from './binding.ts';
import { printList } from './list.ts';
import { type ListOptions, pageSize, withLimit } from './options.ts';

type Scope = NewApiKey['scopes'][number];
const SCOPES = [
  'links:write',
  'events:write',
  'knowledge:write',
  'read',
  'conversations:read',
  'conversations:write',
] as const satisfies readonly Scope[];

interface CreateOptions {
  readonly scope: readonly Scope[];
  readonly expiresIn?: number;
}

export function addKeys(program: Command, binding: Binding): void {
  const keys = program
    .command('keys')
    .description('Manage the API keys of a space. Requires a user session.');
  keys
    .command('create')
    .description('Create an API key. The key is printed only once.')
    .argument('<name>', 'Purpose of the key.')
    .addOption(
      new Option('--scope <scope...>', 'Scopes of the key.').choices(SCOPES).makeOptionMandatory(),
    )
    .option('--expires-in <duration>', 'Lifetime, such as 30d. Default: unlimited.', duration)
    .action(
      bind<CreateOptions>(binding, async (context, [name = ''], { scope, expiresIn }) => {
        const { out, signal } = context;
        const expiresAt =
          expiresIn === undefined
            ? undefined
            : new Date(Date.now() + expiresIn * 1000).toISOString();
        const gatehouse = await context.inSpace();
        const scopes = [...new Set(scope)];
        const created = checked(
          await gatehouse.apiKeys.create({ name, scopes, expiresAt }, { signal }),
          { id: '', key: '', scopes: [] },
        );
        out.result(created, () => {
          const { id, key } = created;
          out.note('Store the key now. It cannot be shown again.');
          return columns([
            ['id:', id],
            ['scopes:', cell(created.scopes.join(' '))],
            ['expires:', cell(created.expiresAt)],
            ['key:', key],
          ]);
        });
      }),
    );
  withLimit(keys.command('list').description('List API keys, without the keys themselves.')).action(
    bind<ListOptions>(binding, async (context, _args, options) => {
      const gatehouse = await context.inSpace();
      const { signal } = context;
      const items = gatehouse.apiKeys.list({ limit: pageSize(options) }, { signal });
      await printList(
        context,
        items,
        options,
        [
          ['ID', ({ id }) => id],
          ['PREFIX', ({ prefix }) => prefix],
          ['SCOPES', ({ scopes }) => scopes.join(' ')],
          ['EXPIRES', ({ expiresAt }) => expiresAt],
          ['LAST USED', ({ lastUsedAt }) => lastUsedAt],
          ['NAME', ({ name }) => name],
        ],
        { id: '', scopes: [] },
      );
    }),
  );
  keys
    .command('revoke')
    .description('Revoke an API key. It stops working immediately.')
    .argument('<key-id>', 'ID of the key.', id)
    .action(
      bind(binding, async (context, [id = '']) => {
        const { out, signal } = context;
        checkEmpty(await (await context.inSpace()).apiKeys.delete(id, { signal }));
        out.result({ id, revoked: true }, () => [`Revoked the key ${id}.`]);
      }),
    );
}
