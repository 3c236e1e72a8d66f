import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { Assistant } from '../src/index.ts';
import { type Behaviour, hangUp, json, refuse, startHostileServer } from './hostile-server.ts';

/** Opens an assistant whose sessions last for `expiresIn` seconds. The clock stands still unless the test moves it. */
async function openAssistant(t: TestContext, expiresIn: number) {
  t.mock.timers.enable({ apis: ['Date'] });
  const exchanges: Behaviour[] = [];
  let exchanged = 0;
  const server = await startHostileServer((response, received) => {
    if (!received.url.endsWith('/exchange')) return json(200, { items: [] })(response, received);
    const accessToken = `session-${++exchanged}`;
    const session = { accessToken, expiresIn, jwtPayload: { spaceId: 'space' } };
    return (exchanges.shift() ?? json(200, session))(response, received);
  });
  const assistant = await Assistant.open({ url: server.url, linkToken: 'link', maxRetries: 0 });
  return {
    /** Sets the responses to the next exchanges. */
    answerExchanges: (...next: Behaviour[]) => void exchanges.push(...next),
    exchanged: () => exchanged,
    accessToken: () => assistant.accessToken(),
    /** Sends a request at a time in seconds after the session was opened. Returns its token. */
    async requestAt(seconds: number) {
      t.mock.timers.setTime(seconds * 1000);
      await assistant.search({ query: 'refund' });
      return server.received.at(-1)?.headers.authorization;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

test('a signal cancels the opening of an assistant', async () => {
  const stop = new AbortController();
  await using server = await startHostileServer(() => stop.abort(new Error('stopped')));
  const options = { url: server.url, linkToken: 'link' };
  await assert.rejects(Assistant.open(options, { signal: stop.signal }), { message: 'stopped' });
});

describe('the session of an assistant', () => {
  test('is renewed a minute before it expires', async (t) => {
    await using one = await openAssistant(t, 900);
    assert.equal(await one.requestAt(839), 'Bearer session-1');
    assert.equal(await one.requestAt(840), 'Bearer session-2');
  });

  test('provides an access token for other libraries, and renews it', async (t) => {
    await using one = await openAssistant(t, 900);
    assert.equal(await one.accessToken(), 'session-1');
    t.mock.timers.setTime(840_000);
    assert.equal(await one.accessToken(), 'session-2');
  });

  test('is used for most of its time if it is shorter than a minute', async (t) => {
    await using one = await openAssistant(t, 50);
    for (const seconds of [0, 1, 39]) await one.requestAt(seconds);
    assert.equal(one.exchanged(), 1);
    assert.equal(await one.requestAt(40), 'Bearer session-2');
  });

  test('is renewed in time if the clock of the system is set back', async (t) => {
    let seconds = 0;
    t.mock.method(performance, 'now', () => seconds * 1000);
    await using one = await openAssistant(t, 900);
    seconds = 700;
    assert.equal(await one.requestAt(700), 'Bearer session-1');
    seconds = 839;
    assert.equal(await one.requestAt(0), 'Bearer session-1');
    seconds = 840;
    assert.equal(await one.requestAt(1), 'Bearer session-2');
    // A computer that sleeps stops only the monotonic clock.
    assert.equal(await one.requestAt(841), 'Bearer session-3');
  });

  for (const [failure, behaviour] of [
    ['the connection fails', hangUp],
    ['the service is overloaded', refuse(503)],
    ['the rate limit is reached', refuse(429, { 'retry-after': '300' })],
  ] as const)
    test(`is used until it expires if ${failure} during a renewal`, async (t) => {
      await using one = await openAssistant(t, 900);
      one.answerExchanges(behaviour, behaviour);
      assert.equal(await one.requestAt(840), 'Bearer session-1');
      assert.equal(await one.requestAt(841), 'Bearer session-1');
      assert.equal(one.exchanged(), 2);
      assert.equal(await one.requestAt(870), 'Bearer session-1');
      assert.equal(one.exchanged(), 3);
      one.answerExchanges(behaviour);
      await assert.rejects(one.requestAt(900));
      assert.equal(await one.requestAt(900), 'Bearer session-5');
    });

  test('ends if the link ended before a renewal', async (t) => {
    await using one = await openAssistant(t, 900);
    one.answerExchanges(refuse(410), refuse(410));
    await assert.rejects(one.requestAt(840), { name: 'GoneError' });
    await assert.rejects(one.requestAt(840), { name: 'GoneError' });
  });
});
