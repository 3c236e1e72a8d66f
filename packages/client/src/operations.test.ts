import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorStatuses, type Operation, operations } from '@gatehouse/contract';
import { CLASSES } from './http/to-error.ts';
import * as client from './index.ts';

const { Assistant, Gatehouse } = client;

/** Returns the requests that the methods of an object and of its resources send, as `METHOD /path`. */
async function requestsOf(make: (fetch: client.Fetch) => Promise<object>): Promise<Set<string>> {
  const sent = new Set<string>();
  const fetch: client.Fetch = async (url, { method }) => {
    sent.add(`${method} ${new URL(url).pathname}`);
    // Ends the live stream, which would reconnect after any other answer.
    return new URL(url).pathname.endsWith('/stream')
      ? Response.json({}, { status: 404 })
      : Response.json(SESSION);
  };
  const root = await make(fetch);
  for (const object of [root, ...Object.values(root)]) {
    for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(object))) {
      const method: unknown = object[name];
      if (name === 'constructor' || typeof method !== 'function') continue;
      for (const given of ARGUMENTS) await settle(() => method.apply(object, given), sent);
    }
  }
  return sent;
}

/** Each method accepts the types of at least one of these lists. */
const FILE = { file: new Blob(['value']), fileName: 'value' };
const ARGUMENTS = [['value', 'value', 'value'], ['value', {}], ['value', FILE], [{}], [[]]];

/** An exchanged widget session. As the answer to other requests, it is not valid, which does not matter here. */
const SESSION = { accessToken: 'a', expiresIn: 900, jwtPayload: { spaceId: 'space' } };

async function settle(call: () => unknown, sent: Set<string>): Promise<void> {
  try {
    const result = call();
    // Streams send their request when they are read.
    if (typeof result === 'object' && result !== null && 'next' in result)
      await (result as AsyncGenerator).next();
    else if (typeof result === 'string') sent.add(`GET ${new URL(result).pathname}`);
    else await result;
  } catch {}
}

function missingFrom(sent: Set<string>, all: readonly Operation[]): string[] {
  return all
    .filter(({ method, path }) => {
      const pattern = new RegExp(
        `^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`,
      );
      return ![...sent].some(
        (one) => one.startsWith(`${method} `) && pattern.test(one.slice(method.length + 1)),
      );
    })
    .map(({ id, method, path }) => `${id} (${method} ${path}) has no method`);
}

/** Operations without those of other protocols, which have their own clients. */
const own = operations.filter(({ id }) => id !== 'callMcp');

test('Gatehouse has a method for every operation of the contract', async () => {
  const sent = await requestsOf(
    async (fetch) => new Gatehouse({ url: 'http://gate.example', spaceId: 'space', fetch }),
  );
  assert.deepEqual(missingFrom(sent, own), []);
});

test('Assistant has a method for every operation that a widget session permits', async () => {
  const sent = await requestsOf((fetch) =>
    Assistant.open({ url: 'http://gate.example', linkToken: 'token', fetch }),
  );
  const permitted = own.filter(({ credentials }) => credentials.includes('widgetSession'));
  assert.deepEqual(missingFrom(sent, permitted), []);
});

test('every status of the contract, and 405, has an error class', () => {
  const statuses = new Set([405, ...operations.flatMap(errorStatuses)]);
  const missing = [...statuses].filter((status) => CLASSES[status] === undefined);
  assert.deepEqual(missing, []);
});

test('every error class is exported under its name', () => {
  for (const Class of Object.values(CLASSES)) assert.equal(Reflect.get(client, Class.name), Class);
});
