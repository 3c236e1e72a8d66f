import type { IngestResult } from '@gatehouse/contract';
import {
  feedPages,
  makeEvent,
  type SentEvent,
} from '../../../../packages/server/tests/support/events/events.ts';
import {
  ORDERS,
  projectionsOf,
} from '../../../../packages/server/tests/support/knowledge/projections.ts';
import { oneByOne, steadily } from '../../pace.ts';
import { type Part, request, type Setting, violations } from '../../setting.ts';
import { type SentEvents, Tally } from '../../tally.ts';

const SOURCE = String(makeEvent()['source']);
const NEW_EVENTS = 95;
const DUPLICATES = 5;
const ORDER_COUNT = 200;
const ORDERS_PER_REQUEST = 20;
const ORDER_PAUSE_MS = 400;
/** Every such batch is sent twice at the same time. */
const TWICE_EVERY = 20;
/** Type of the events to which the webhook subscribes. */
export const PAID = 'test.visit.paid';
const SEEN = 'test.visit.seen';
const ORDER = 'test.order.changed';
const STATES = ['placed', 'paid', 'packed', 'shipped'];

/** Sends events and counts the acknowledged ones. */
export async function sendEvents(
  setting: Setting,
  sent: SentEvents,
  events: readonly SentEvent[],
  as = setting.key,
): Promise<void> {
  const answer = await request(setting, 'events', '/events', { as, body: { events } });
  if (answer === null) return;
  const { failed, eventIds } = answer.json as unknown as IngestResult;
  if (failed > 0) setting.failures.push(`events: ${failed} were rejected`);
  sent.acknowledge(eventIds);
}

/** Sends batches with duplicates, and orders from whose events a projection derives records. */
export async function startEvents(
  setting: Setting,
  sent: SentEvents,
  batchesPerSecond: number,
): Promise<Part> {
  const { client, key, session, space, signal } = setting;
  const projections = projectionsOf(client, session, space.id);
  const { id: projectionId } = await projections.create(ORDERS);
  const orders = new Map<string, string>();
  let previous: SentEvent[] = [];
  let batches = 0;
  let next = 0;

  async function batch(): Promise<void> {
    batches += 1;
    const made = Array.from({ length: NEW_EVENTS }, (_, index) => {
      const type = index % 10 === 0 ? PAID : SEEN;
      const members = { id: sent.next(type), type, subject: `visitor-${index % 20}` };
      return makeEvent({ ...members, data: { note: 'x'.repeat(100) } });
    });
    const events = [...previous, ...made];
    previous = made.slice(0, DUPLICATES);
    const copies = batches % TWICE_EVERY === 0 ? 2 : 1;
    await Promise.all(Array.from({ length: copies }, () => sendEvents(setting, sent, events)));
  }

  /** Changes the next orders. The requests are sequential, so that the final state is known. */
  async function changeOrders(): Promise<void> {
    const events = Array.from({ length: ORDERS_PER_REQUEST }, () => {
      next += 1;
      const subject = `order-${next % ORDER_COUNT}`;
      const status = `${STATES[next % STATES.length]}-${next}`;
      orders.set(subject, status);
      const data = { status, carrier: 'post', customer: `c${next % 7}` };
      return makeEvent({ id: sent.next(ORDER), type: ORDER, subject, data });
    });
    await sendEvents(setting, sent, events);
  }

  /** Returns the number of orders whose record does not have the final state. */
  async function wrongRecords(): Promise<number> {
    await projections.untilCurrent(projectionId);
    const records = await projections.records(projectionId);
    const states = new Map(records.map(({ key, fields }) => [key, fields['status']?.value]));
    const wrong = [...orders].filter(([subject, status]) => states.get(subject) !== status);
    return wrong.length + Math.abs(records.length - orders.size);
  }

  return {
    run: async () => {
      await Promise.all([
        steadily(batchesPerSecond, signal, batch),
        oneByOne(ORDER_PAUSE_MS, signal, changeOrders),
      ]);
    },
    check: async () => {
      const stored = new Tally();
      let rows = 0;
      for await (const { items } of feedPages(client, key))
        for (const { event } of items) {
          // The space also contains the events of its conversations.
          if (event['source'] !== SOURCE) continue;
          rows += 1;
          stored.add(event['id']);
        }
      return violations({
        'acknowledged events that the feed lacks': sent.missing(stored),
        'events that the feed contains more than once': sent.repeated(stored),
        'difference between sent and stored events': Math.abs(sent.sent - rows),
        'records without their final state': await wrongRecords(),
      });
    },
    counts: () => ({ events: sent.sent, batches, orders: orders.size }),
  };
}
