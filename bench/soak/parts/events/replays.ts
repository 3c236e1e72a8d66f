import { makeEvent } from '../../../../packages/server/tests/support/events/events.ts';
import type { Receiver } from '../../../../packages/server/tests/support/events/receiver.ts';
import { subscribingIn } from '../../../../packages/server/tests/support/events/subscribing.ts';
import { makeKey, makeSpace } from '../../../../packages/server/tests/support/provision.ts';
import { until } from '../../../../packages/server/tests/support/until.ts';
import { oneByOne } from '../../pace.ts';
import { attempt, type Part, request, type Setting, violations } from '../../setting.ts';

const PAUSE_MS = 1000;
const REPLAY_PAUSE_MS = 60_000;
/** Each replay sends the events of this time again. */
const REPLAYED_MS = 90_000;
const ENDS_WITHIN_MS = 120_000;

/** Sends events to a webhook, and now and then replays the latest ones. */
export async function startReplays(setting: Setting, receiver: Receiver): Promise<Part> {
  const { client, session, signal } = setting;
  const { id: spaceId } = await makeSpace(client, session, { name: 'Replays' });
  const key = await makeKey(client, session, spaceId, ['events:write']);
  const subscribing = subscribingIn(client, session, spaceId);
  const { id } = await subscribing.subscribe({ url: receiver.url });
  const deliveries = new Map<string, number>();
  receiver.behave(({ event }) => {
    receiver.received.length = 0;
    const eventId = String(event['id']);
    deliveries.set(eventId, (deliveries.get(eventId) ?? 0) + 1);
    return { status: 204 };
  });
  const sent: { readonly id: string; readonly at: number }[] = [];
  let replays = 0;
  let notReplayed = 0;

  async function send(): Promise<void> {
    const event = makeEvent({ id: `r${sent.length}`, subject: `s${sent.length % 5}` });
    const body = { events: [event] };
    const answer = await request(setting, 'one event', '/events', { as: key, body });
    if (answer !== null) sent.push({ id: String(event['id']), at: Date.now() });
  }

  async function replay(): Promise<void> {
    // An event may have been received before the request that sent it ended.
    const from = Date.now() - REPLAYED_MS;
    const isDelivered = ({ id: eventId }: { readonly id: string }) => deliveries.has(eventId);
    const expected = sent
      .filter((event) => event.at > from + PAUSE_MS && isDelivered(event))
      .map((event) => [event.id, (deliveries.get(event.id) ?? 0) + 1] as const);
    const answer = await subscribing.ask('POST', `/${id}/replay`, {
      from: new Date(from).toISOString(),
    });
    if (answer.status !== 202) throw new Error(`${answer.status} ${answer.text}`);
    await until(
      'the replay has finished',
      async () => (await subscribing.show(id)).replay?.state === 'finished',
      ENDS_WITHIN_MS,
    );
    replays += 1;
    notReplayed += expected.filter(
      ([eventId, count]) => (deliveries.get(eventId) ?? 0) < count,
    ).length;
  }

  return {
    run: async () => {
      await Promise.all([
        oneByOne(PAUSE_MS, signal, send),
        oneByOne(REPLAY_PAUSE_MS, signal, () => attempt(setting, 'replay', replay)),
      ]);
    },
    check: async () => {
      const missing = () => sent.filter((event) => !deliveries.has(event.id)).length;
      await until('all events are delivered', () => missing() === 0, ENDS_WITHIN_MS).catch(
        // The caller reports the missing events.
        () => {},
      );
      return violations({
        'events that the webhook with replays lacks': missing(),
        'events that a replay did not send again': notReplayed,
      });
    },
    counts: () => ({ replays, replayedDeliveries: sum(deliveries.values()) - deliveries.size }),
  };
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const one of numbers) total += one;
  return total;
}
