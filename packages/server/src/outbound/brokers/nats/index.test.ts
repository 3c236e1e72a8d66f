import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_NATS, startNats } from '../../../../tests/support/brokers/nats-server.ts';
import { identityOf } from '../../../storage/ports/event-store.ts';
import { eventSinkSuite, eventText } from '../event-sink.suite.ts';
import { type EventSink, type Outcome, SinkFailure } from '../event-sink.ts';
import { createThreadedSink } from '../publishing/threaded-sink.ts';
import type { NatsOptions } from './index.ts';

const MAX_PAYLOAD = 65_536;

function optionsOf(url: string, options: Partial<NatsOptions> = {}): NatsOptions {
  return {
    servers: [url],
    subject: 'gatehouse.{spaceId}.{type}',
    user: null,
    password: null,
    token: null,
    credentials: null,
    ...options,
  };
}

/**
 * Creates a sink in a worker thread, as the service does. The library sometimes throws uncaught exceptions when a
 * server stops.
 */
function createNatsSink(options: NatsOptions): EventSink {
  return createThreadedSink({ kind: 'nats', options });
}

async function open() {
  const server = await startNats({ configuration: `max_payload: ${MAX_PAYLOAD}` });
  await server.addStream();
  const sink = createNatsSink(optionsOf(server.url));
  return {
    sink,
    tooLarge: MAX_PAYLOAD,
    published: async () => (await server.messages()).map(({ text }) => text),
    stopBroker: () => server.stop(),
    startBroker: () => server.start(),
    [Symbol.asyncDispose]: async () => {
      await sink.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

eventSinkSuite('NATS', NO_NATS, open);

const failureOf = ([outcome]: readonly Outcome[]) => {
  assert.ok(outcome instanceof SinkFailure, String(outcome));
  return `${outcome.reason}: ${outcome.message}`;
};

test('a message has the event attributes as headers and is deduplicated by the identity of its event', {
  skip: NO_NATS,
}, async () => {
  await using server = await startNats();
  await server.addStream();
  const sink = createNatsSink(optionsOf(server.url));
  const event = eventText({ id: 'é', type: 'order placed.now' });
  await sink.publish('space', [event]);
  await sink.publish('space', [event]);
  await sink.close();
  const messages = await server.messages();
  assert.equal(messages.length, 1);
  const [message] = messages;
  assert.equal(message?.subject, 'gatehouse.space.order%20placed%2Enow');
  assert.equal(message?.header('Content-Type'), 'application/cloudevents+json; charset=UTF-8');
  const identity = Buffer.from(identityOf('space', 'urn:shop', 'é'), 'latin1').toString('hex');
  assert.equal(message?.header('Nats-Msg-Id'), identity);
  assert.equal(message?.header('Gatehouse-Space-Id'), 'space');
});

test('reports a subject without a stream and publishes once the stream exists', {
  skip: NO_NATS,
}, async () => {
  await using server = await startNats();
  const sink = createNatsSink(optionsOf(server.url));
  const event = eventText();
  assert.equal(
    failureOf(await sink.publish('space', [event])),
    'refused: no JetStream stream accepts the subject gatehouse.space.order%2Eplaced',
  );
  await server.addStream();
  assert.deepEqual(await sink.publish('space', [event]), ['published']);
  await sink.close();
});

test('reports a full stream and an event that exceeds the limit of the stream', {
  skip: NO_NATS,
}, async () => {
  await using server = await startNats();
  await server.addStream({ max_msgs: 1, discard: 'new', max_msg_size: 1000 });
  const sink = createNatsSink(optionsOf(server.url));
  const large = eventText({ data: 'x'.repeat(1000) });
  assert.match(failureOf(await sink.publish('space', [large])), /^too-large: /);
  await sink.publish('space', [eventText()]);
  assert.equal(
    failureOf(await sink.publish('space', [eventText()])),
    'refused: the JetStream stream rejected the event: maximum messages exceeded',
  );
  await sink.close();
});

test('distinguishes wrong credentials from missing permissions, and its messages contain no credentials', {
  skip: NO_NATS,
}, async () => {
  await using server = await startNats({
    configuration: `authorization { users = [
      { user: test, password: test },
      { user: gatehouse, password: right-secret, permissions: { publish: "other.>" } }
    ] }`,
    connect: { user: 'test', pass: 'test' },
  });
  await server.addStream();
  for (const [password, expected] of [
    ['wrong-secret', 'unauthorized: the NATS server rejected the credentials'],
    [
      'right-secret',
      'unauthorized: the NATS server does not permit publishing to gatehouse.space.order%2Eplaced',
    ],
  ] as const) {
    const sink = createNatsSink(optionsOf(server.url, { user: 'gatehouse', password }));
    assert.equal(failureOf(await sink.publish('space', [eventText()])), expected);
    await sink.close();
  }
});
