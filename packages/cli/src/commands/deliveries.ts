import type { Delivery, Gatehouse } from '@gatehouse/client';
import { type Command, Option } from 'commander';
import { id, time } from '../input/values.ts';
import { cell, counted } from '../output/text.ts';
import type { Context } from '../shell/context.ts';
import { EXIT, Failure, wrongUse } from '../shell/failure.ts';
import { checked, pageOf } from '../shell/response.ts';
import { type Binding, bind } from './binding.ts';
import { printList } from './list.ts';
import { type ListOptions, pageSize, withLimit } from './options.ts';

interface SubscriptionOptions {
  readonly subscription?: string;
}
interface DeliveryListOptions extends ListOptions, SubscriptionOptions {
  readonly state?: Delivery['state'];
}
interface RetryOptions extends SubscriptionOptions {
  readonly parked?: true;
}
interface ReplayOptions extends SubscriptionOptions {
  readonly from: string;
}

export function addDeliveries(program: Command, binding: Binding): void {
  addSubscriptions(program, binding);
  const deliveries = program
    .command('deliveries')
    .description('List, retry and replay the deliveries of a subscription.');
  withSubscription(withLimit(deliveries.command('list')))
    .description('List deliveries that wait or are parked, or those in another state.')
    .addOption(
      new Option('--state <state>', 'Only deliveries in this state.').choices([
        'waiting',
        'parked',
        'delivered',
      ]),
    )
    .action(
      bind<DeliveryListOptions>(binding, async (context, _args, options) => {
        const [gatehouse, id] = await subscriptionOf(context, options);
        const query = { limit: pageSize(options), state: options.state };
        const items = gatehouse.deliveries.list(id, query, { signal: context.signal });
        await printList(context, items, options, [
          ['ID', (delivery) => delivery.id],
          ['STATE', ({ state }) => state],
          ['ATTEMPTS', ({ attempts }) => String(attempts)],
          ['NEXT ATTEMPT', ({ nextAttemptAt }) => nextAttemptAt],
          ['TYPE', ({ type }) => type],
          ['EVENT', ({ eventId }) => eventId],
          ['FAILURE', ({ failure }) => failure],
        ]);
      }),
    );
  withSubscription(deliveries.command('retry'))
    .description(
      'Send a waiting or parked delivery again, or all parked ones. Requires a user session.',
    )
    .argument('[delivery-id]', 'ID of the delivery.', id)
    .option('--parked', 'Send all parked deliveries again.')
    .action(
      bind<RetryOptions>(binding, async (context, [deliveryId], options) => {
        const { out, signal } = context;
        if ((deliveryId === undefined) === (options.parked === undefined))
          throw wrongUse('Use either the ID of a delivery or --parked.');
        const [gatehouse, id] = await subscriptionOf(context, options);
        if (deliveryId === undefined) {
          const result = checked(await gatehouse.deliveries.resendAll(id, { signal }), {
            count: 0,
          });
          out.result(result, () => [
            `The service will resend ${counted(result.count, 'delivery', 'deliveries')}.`,
          ]);
        } else {
          const resent = await gatehouse.deliveries.resend(id, deliveryId, { signal });
          const delivery = checked(resent, { id: '' });
          out.result(delivery, () => [`The delivery ${cell(deliveryId)} will be sent again.`]);
        }
      }),
    );
  withSubscription(deliveries.command('replay'))
    .description('Send all matching events since a time again. Requires a user session.')
    .requiredOption(
      '--from <time>',
      'Time such as 2026-10-18T00:00:00Z, or 2h for two hours ago.',
      time,
    )
    .action(
      bind<ReplayOptions>(binding, async (context, _args, options) => {
        const { out, signal } = context;
        const [gatehouse, id] = await subscriptionOf(context, options);
        const { from } = options;
        const started = await gatehouse.subscriptions.replay(id, { from }, { signal });
        const replay = checked(started, { from: '', state: 'running', remaining: 0 });
        out.result(replay, () => [
          `The replay from ${replay.from} is ${replay.state}, with ${counted(replay.remaining, 'event')} remaining.`,
        ]);
      }),
    );
}

function addSubscriptions(program: Command, binding: Binding): void {
  const subscriptions = program.command('subscriptions').description('List subscriptions.');
  withLimit(
    subscriptions.command('list').description('List subscriptions and their status.'),
  ).action(
    bind<ListOptions>(binding, async (context, _args, options) => {
      const gatehouse = await context.inSpace();
      const { signal } = context;
      const items = gatehouse.subscriptions.list({ limit: pageSize(options) }, { signal });
      await printList(context, items, options, [
        ['ID', ({ id }) => id],
        ['STATE', ({ state }) => state],
        ['LAG', ({ lag }) => String(lag)],
        ['WAITING', ({ waiting }) => String(waiting)],
        ['PARKED', ({ parked }) => String(parked)],
        ['URL', ({ url }) => url],
      ]);
    }),
  );
}

function withSubscription(command: Command): Command {
  return command.option(
    '--subscription <id>',
    'ID of the subscription. Default: the only one.',
    id,
  );
}

async function subscriptionOf(
  context: Context,
  { subscription }: SubscriptionOptions,
): Promise<[gatehouse: Gatehouse, subscriptionId: string]> {
  const gatehouse = await context.inSpace();
  if (subscription !== undefined) return [gatehouse, subscription];
  const list = gatehouse.subscriptions.list({ limit: 2 }, { signal: context.signal });
  const { items } = pageOf(await list, { id: '' });
  const [only, other] = items;
  if (only !== undefined && other === undefined) return [gatehouse, only.id];
  throw new Failure({
    exitCode: EXIT.wrongUse,
    code: 'cli.no-subscription',
    message:
      only === undefined
        ? 'The space has no subscription. Create one with "gatehouse api POST /spaces/{spaceId}/subscriptions --data <json>".'
        : 'The space has several subscriptions. Select one with --subscription <id>; "gatehouse subscriptions list" lists them.',
  });
}
