import assert from 'node:assert/strict';
import { after } from 'node:test';
import type {
  Delivery,
  NewSubscription,
  Subscription,
  SubscriptionWithSecret,
} from '@gatehouse/contract';
import type { Client, ClientResponse } from '../http/client.ts';
import { makeKey, makeSpace } from '../provision.ts';
import { startReceiver } from './receiver.ts';

export interface Subscribing {
  subscribe(body: NewSubscription): Promise<SubscriptionWithSecret>;
  show(id: string): Promise<Subscription>;
  deliveries(id: string, query?: string): Promise<Delivery[]>;
  ask(method: string, rest?: string, body?: unknown): Promise<ClientResponse>;
}

/** Creates a space with a key and with a receiver, which is closed after the tests of the file. */
export async function newSubscribingSpace(client: Client, session: string) {
  const receiver = await startReceiver();
  after(() => receiver[Symbol.asyncDispose]());
  const { id: spaceId } = await makeSpace(client, session);
  const key = await makeKey(client, session, spaceId);
  return { spaceId, key, receiver, ...subscribingIn(client, session, spaceId) };
}

export function subscribingIn(client: Client, session: string, spaceId: string): Subscribing {
  const ask = (method: string, rest = '', body?: unknown) =>
    client(`/spaces/${spaceId}/subscriptions${rest}`, {
      method,
      as: session,
      ...(body === undefined ? {} : { body }),
    });
  return {
    ask,
    subscribe: async (body) => {
      const answer = await ask('POST', '', body);
      assert.equal(answer.status, 201, answer.text);
      return answer.json as unknown as SubscriptionWithSecret;
    },
    show: async (id) => {
      const answer = await ask('GET', `/${id}`);
      assert.equal(answer.status, 200, answer.text);
      return answer.json as unknown as Subscription;
    },
    deliveries: async (id, query = '') => {
      const answer = await ask('GET', `/${id}/deliveries?limit=200${query}`);
      assert.equal(answer.status, 200, answer.text);
      return answer.json['items'] as Delivery[];
    },
  };
}
