import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Found, searchAs, type Target } from './knowledge.ts';

const TIMEOUT_MS = 30_000;
export const ORDER_QUESTION = 'Where is my order?';

/** Records of orders and what two customers find about them. */
export interface Orders {
  readonly records: number;
  readonly link: Record<string, unknown>;
  readonly ofCustomer: readonly Found[];
  readonly ofOtherCustomer: readonly Found[];
}

/** Derives records from order events, and asks about them with a link of each customer. */
export async function showOrders(target: Target, folder: string): Promise<Orders> {
  const { send, spaceId, apiKey } = target;
  const example = (name: string) => readFileSync(join(folder, name), 'utf8');
  const path = `/spaces/${spaceId}/projections`;
  const { id } = await send('POST', path, apiKey, example('order-status.projection.json'));
  await send('POST', '/events', apiKey, example('order-status.events.json'));
  const records = await untilCurrent(target, `${path}/${id}`);
  const link = example('orders-link.json');
  const other = link.replaceAll('customer-42', 'customer-43');
  return {
    records,
    link: await send('POST', '/assistant-link', apiKey, link),
    ofCustomer: await searchAs(target, link, ORDER_QUESTION),
    ofOtherCustomer: await searchAs(target, other, ORDER_QUESTION),
  };
}

/** Waits until the records contain all events. Returns the number of records. */
async function untilCurrent({ send, apiKey }: Target, path: string): Promise<number> {
  const deadline = performance.now() + TIMEOUT_MS;
  const { newest } = await send('GET', path, apiKey);
  for (;;) {
    const { state, position, records } = await send('GET', path, apiKey);
    if (state === 'live' && Number(position) >= Number(newest)) return Number(records);
    if (performance.now() > deadline) throw new Error('the records were not derived in time');
    await sleep(20);
  }
}
