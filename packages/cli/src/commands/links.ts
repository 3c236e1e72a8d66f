import type { LinkRequest, LinkWithPayload } from '@gatehouse/client';
import { type Command, Option } from 'commander';
import { duration, filter, id, type JsonObject, jsonObject, userId } from '../input/values.ts';
import { cell, columns, counted } from '../output/text.ts';
import { wrongUse } from '../shell/failure.ts';
import { checkEmpty, checked } from '../shell/response.ts';
import { type Binding, bind } from './binding.ts';
import { addExplain } from './explain.ts';
import { printList } from './list.ts';
import { type ListOptions, pageSize, withLimit } from './options.ts';

interface CreateOptions {
  readonly sub?: string;
  readonly ttl?: number;
  readonly permissionFilter?: JsonObject;
  readonly filter?: JsonObject;
  readonly body?: JsonObject;
}
interface LinkListOptions extends ListOptions {
  readonly state?: LinkWithPayload['state'];
  readonly sub?: string;
}

export function addLinks(program: Command, binding: Binding): void {
  const links = program
    .command('links')
    .description('Create, list, explain and revoke access links.');
  links
    .command('create')
    .description('Create an access link. Its URL is printed only once.')
    .option('--sub <id>', 'Identifier of the user in your system.', userId)
    .option('--ttl <duration>', 'Lifetime, such as 15m or 2h. Default: 1h.', duration)
    .option(
      '--permission-filter <json>',
      'Documents that the link may see: JSON, or @file.',
      filter,
    )
    .option('--filter <json>', 'Filter that narrows searches further: JSON, or @file.', filter)
    .option(
      '--body <json>',
      'Other members of the request: JSON, or @file.',
      jsonObject('{"systemPromptInsertion":"Answer briefly."}'),
    )
    .action(
      bind<CreateOptions>(binding, async (context, _args, options) => {
        const { out, signal } = context;
        const { body, ttl: ttlSeconds, sub, permissionFilter } = options;
        // The service validates the other members.
        const request: LinkRequest = {
          ...body,
          ...defined({ ttlSeconds, sub, permissionFilter, filter: options.filter }),
        };
        const created = await (await context.inSpace()).links.create(request, { signal });
        const link = checked(created, { url: '', jwtPayload: { exp: 0 } });
        out.result(link, () => [link.url]);
        const expiry = new Date(link.jwtPayload.exp * 1000).toISOString();
        if (!out.json)
          out.note(`Valid until ${expiry}. Everyone who has the URL can use the link.`);
      }),
    );
  withLimit(
    links
      .command('list')
      .description('List access links, oldest first. With --state, in the order of their expiry.'),
  )
    .addOption(
      new Option('--state <state>', 'Only links in this state.').choices([
        'active',
        'expired',
        'revoked',
      ]),
    )
    .option('--sub <id>', 'Only links of this user.')
    .action(
      bind<LinkListOptions>(binding, async (context, _args, options) => {
        const { state, sub } = options;
        const query = { limit: pageSize(options), state, sub };
        const gatehouse = await context.inSpace();
        const items = gatehouse.links.list(query, { signal: context.signal });
        await printList(
          context,
          items,
          options,
          [
            ['ID', ({ id }) => id],
            ['STATE', (link) => link.state],
            ['EXPIRES', ({ exp }) => new Date(exp * 1000).toISOString()],
            ['USES', ({ exchanges }) => String(exchanges)],
            ['SUB', (link) => link.sub],
          ],
          { id: '', exp: 0 },
        );
      }),
    );
  links
    .command('show')
    .description('Print a link with its payload.')
    .argument('<link-id>', 'ID of the link.', id)
    .action(
      bind(binding, async (context, [id = '']) => {
        const link = await context.client().links.get(id, { signal: context.signal });
        context.out.members(checked(link, { id: '' }));
      }),
    );
  links
    .command('revoke')
    .description('Revoke a link, or all links of a user. They stop working immediately.')
    .argument('[link-id]', 'ID of the link.', id)
    .option('--sub <id>', 'Revoke all active links of this user.')
    .action(
      bind<{ readonly sub?: string }>(binding, async (context, [id], { sub }) => {
        const { out, signal } = context;
        if ((id === undefined) === (sub === undefined))
          throw wrongUse('Use either the ID of a link or --sub <id>.');
        if (sub !== undefined) {
          const response = await (await context.inSpace()).links.revokeAll({ sub }, { signal });
          const result = checked(response, { revoked: 0 });
          out.result(result, () => [`Revoked ${counted(result.revoked, 'link')} of ${cell(sub)}.`]);
        } else if (id !== undefined) {
          checkEmpty(await context.client().links.revoke(id, { signal }));
          out.result({ id, revoked: true }, () => columns([[`Revoked the link ${id}.`]]));
        }
      }),
    );
  addExplain(links, binding);
}

/** Removes members that are `undefined`. */
function defined<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(value).filter(([, member]) => member !== undefined),
  ) as Partial<T>;
}
