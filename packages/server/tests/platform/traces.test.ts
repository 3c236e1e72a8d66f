import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Chat, openLink, textOf } from '../support/assistant/chat.ts';
import { startFakeModel } from '../support/assistant/fake-model.ts';
import { ingest, makeEvent } from '../support/events/events.ts';
import { ALLOW_RECEIVERS, startReceiver } from '../support/events/receiver.ts';
import { subscribingIn } from '../support/events/subscribing.ts';
import { addDocument } from '../support/knowledge/knowledge.ts';
import { makeKey } from '../support/provision.ts';
import { startChildWithSpace } from '../support/services/service-with-space.ts';
import {
  attributeOf,
  type CollectedSpan,
  startTraceCollector,
} from '../support/trace-collector.ts';
import { until } from '../support/until.ts';

const REQUEST = { trace: 'a'.repeat(32), span: 'b'.repeat(16) };
const EVENT = { trace: 'c'.repeat(32), span: 'd'.repeat(16) };
const parentOf = ({ trace, span }: typeof REQUEST) => `00-${trace}-${span}-00`;
const MARKER = 'unmistakable-marker';

const collector = await startTraceCollector();
const model = await startFakeModel();
const receiver = await startReceiver();
after(async () => {
  await collector[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});
let token = '';
let key = '';

before(async () => {
  const shop = await startChildWithSpace({
    env: {
      ...ALLOW_RECEIVERS,
      GATEHOUSE_TRACES_URL: collector.url,
      GATEHOUSE_TRACES_AUTHORIZATION: 'Bearer collector-key',
      GATEHOUSE_MODEL_URL: model.url,
      GATEHOUSE_MODEL_NAME: 'small',
    },
  });
  await using _ = shop;
  const { client, session, space, service } = shop;
  key = await makeKey(client, session, space.id, ['events:write', 'knowledge:write', 'read']);
  const { subscribe } = subscribingIn(client, session, space.id);
  await subscribe({ url: receiver.url });
  const event = makeEvent({ traceparent: parentOf(EVENT), data: { text: MARKER } });
  const documentEvent = makeEvent({
    type: 'gatehouse.document.upserted',
    subject: 'returns',
    traceparent: 'malformed',
    data: { fileName: 'returns.txt', text: MARKER },
  });
  const result = await ingest(client, {
    as: key,
    body: { events: [event, documentEvent] },
    headers: { traceparent: parentOf(REQUEST) },
  });
  assert.deepEqual(result.errors, undefined);
  await until('the deliveries arrived', () => receiver.taken().length === 2, 10_000);
  await until('the document event was applied', async () => {
    const { json } = await client(`/spaces/${space.id}/document-events`, { as: key });
    return (json['items'] as unknown[]).length === 1;
  });
  await addDocument(client, session, space.id, { fileName: 'a.txt', text: `Refunds ${MARKER}.` });
  model.behave({ does: 'answer', pieces: ['Yes [1].'] });
  const link = await openLink(client, session, { spaceId: space.id });
  token = link.as;
  const answer = await new Chat(service.url, link.as).ask(`Are there refunds, ${MARKER}?`);
  assert.equal(textOf(answer), 'Yes [1].');
  // Stopping the service sends the remaining spans.
  await service.stop();
});

function spansOf(name: string): CollectedSpan[] {
  return collector.spans.filter((span) => span.name === name);
}

/** Returns the only span with a name, which must exist in the trace of `parent`. */
function childOf(parent: CollectedSpan | undefined, name: string): CollectedSpan {
  const children = spansOf(name).filter(({ parentSpanId }) => parentSpanId === parent?.spanId);
  assert.equal(children.length, 1, name);
  const [child] = children;
  assert.ok(child);
  assert.equal(child.traceId, parent?.traceId);
  return child;
}

test('a request continues the trace of its sender', () => {
  const [request] = spansOf('POST /events');
  assert.equal(request?.traceId, REQUEST.trace);
  assert.equal(request.parentSpanId, REQUEST.span);
  assert.equal(attributeOf(request, 'http.response.status_code'), '200');
  assert.equal(attributeOf(request, 'http.route'), '/events');
});

test('accepting events is linked to the traces of the events', () => {
  const accept = childOf(spansOf('POST /events')[0], 'accept events');
  assert.deepEqual(
    accept.links?.map(({ traceId }) => traceId),
    [EVENT.trace],
  );
  const append = childOf(accept, 'append events');
  assert.equal(attributeOf(append, 'gatehouse.events.stored'), '2');
});

test('a delivery belongs to the trace of its event and forwards it to the receiver', () => {
  const deliveries = spansOf('deliver webhook');
  assert.equal(deliveries.length, 2);
  const delivery = deliveries.find(({ traceId }) => traceId === EVENT.trace);
  assert.equal(delivery?.parentSpanId, EVENT.span);
  assert.equal(attributeOf(delivery, 'http.response.status_code'), '204');
  const traced = receiver.received.find(({ event }) => event['traceparent'] === parentOf(EVENT));
  assert.equal(traced?.headers['traceparent'], `00-${EVENT.trace}-${delivery.spanId}-01`);
});

test('a question has spans for the answer, the search, the model and the statements', () => {
  const answer = childOf(spansOf('POST /chat')[0], 'answer question');
  const chat = childOf(answer, 'chat small');
  assert.equal(attributeOf(chat, 'gen_ai.request.model'), 'small');
  const { traceId } = answer;
  const inTrace = (name: string) => spansOf(name).filter((span) => span.traceId === traceId);
  assert.ok(inTrace('search passages by words').length > 0);
  const statements = collector.spans.filter(
    (span) => span.traceId === traceId && attributeOf(span, 'db.query.text') !== undefined,
  );
  assert.ok(statements.some((span) => attributeOf(span, 'db.collection.name') === 'links'));
  assert.ok(inTrace('write').length > 0);
});

test('processing by a consumer has its own trace', () => {
  const processed = spansOf('process knowledge');
  assert.ok(processed.length > 0);
  for (const span of processed) assert.equal(span.parentSpanId, undefined);
});

test('spans contain no credential, no text of a person and no event data', () => {
  assert.ok(collector.requests.length > 0);
  for (const { body, authorization } of collector.requests) {
    assert.equal(authorization, 'Bearer collector-key');
    for (const secret of [MARKER, key, token, 'collector-key'])
      assert.ok(!body.includes(secret), secret.slice(0, 5));
  }
});
