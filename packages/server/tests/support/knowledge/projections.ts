import assert from 'node:assert/strict';
import type { DerivedRecord, FoundPassage, Projection } from '@gatehouse/contract';
import type { Client } from '../http/client.ts';
import { until } from '../until.ts';

/** Definition of orders. The customer of an order is in the metadata. */
export const ORDERS = {
  name: 'Order',
  types: ['test.order.*'],
  deletedBy: ['test.order.deleted'],
  key: 'subject',
  fields: { status: '/status', carrier: '/carrier', customer: '/customer' },
  title: 'Order {key}',
  text: 'Order {key} is {status}.',
  metadata: { customer: { field: 'customer' } },
};

/** Returns operations on the projections of a space. `as` must have edit rights. */
export function projectionsOf(client: Client, as: string, spaceId: string) {
  const path = `/spaces/${spaceId}/projections`;
  async function show(id: string): Promise<Projection> {
    const answer = await client(`${path}/${id}`, { as });
    assert.equal(answer.status, 200, answer.text);
    return answer.json as unknown as Projection;
  }
  return {
    path,
    show,
    async create(definition: object = ORDERS): Promise<Projection> {
      const answer = await client(path, { as, body: definition });
      assert.equal(answer.status, 201, answer.text);
      return answer.json as unknown as Projection;
    },
    /** Waits until the records contain all events that the space has now. */
    async untilCurrent(id: string): Promise<void> {
      const { newest } = await show(id);
      await until('the records are current', async () => {
        const { state, position } = await show(id);
        return state === 'live' && position >= newest;
      });
    },
    async records(id: string, query = ''): Promise<DerivedRecord[]> {
      const items: DerivedRecord[] = [];
      for (let after = ''; ; ) {
        const answer = await client(`${path}/${id}/records?limit=200${after}${query}`, { as });
        assert.equal(answer.status, 200, answer.text);
        items.push(...(answer.json['items'] as DerivedRecord[]));
        if (answer.json['next'] === null) return items;
        after = `&after=${answer.json['next']}`;
      }
    },
    async search(query: string, session = as): Promise<FoundPassage[]> {
      const body = { query };
      const answer = await client(`/spaces/${spaceId}/search`, { as: session, body });
      assert.equal(answer.status, 200, answer.text);
      return answer.json['items'] as FoundPassage[];
    },
  };
}
