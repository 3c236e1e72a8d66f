import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { AuditEntry, IngestResult } from '@gatehouse/contract';
import { makeEvent } from '../support/events/events.ts';
import { ALLOW_RECEIVERS, startReceiver, verifyNow } from '../support/events/receiver.ts';
import { subscribingIn } from '../support/events/subscribing.ts';
import { clientOf } from '../support/http/client.ts';
import { makeKey, makeLink, makeSpace, signIn } from '../support/provision.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { until } from '../support/until.ts';

const directory = temporaryDirectory();
after(() => directory[Symbol.dispose]());
const receiver = await startReceiver();
after(() => receiver[Symbol.asyncDispose]());

async function prepare() {
  await using service = await startService(directory.path);
  const client = clientOf(service.url);
  const session = await signIn(client);
  const { id } = await makeSpace(client, session);
  return { session, spaceId: id, key: await makeKey(client, session, id) };
}

const { session, spaceId, key } = await prepare();
const env = { GATEHOUSE_AUDIT_SPACE: spaceId.toUpperCase(), ...ALLOW_RECEIVERS };

interface AuditEvent {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly data: AuditEntry;
}

test('the audit reaches a subscription of its space as signed events, also after a kill', async () => {
  let secret: string;
  {
    const service = await startService(directory.path, { env });
    const client = clientOf(service.url);
    ({ secret } = await subscribingIn(client, session, spaceId).subscribe({
      url: receiver.url,
      types: ['gatehouse.audit.link.*'],
    }));
    await makeLink(client, key, { sub: 'ada' });
    await service.stop('SIGKILL');
  }
  await using service = await startService(directory.path, { env });
  const client = clientOf(service.url);
  await makeLink(client, key, { sub: 'ben' });
  await until('both links have been delivered', () => receiver.taken().length >= 2);
  assert.equal(new Set(receiver.taken()).size, 2);
  for (const received of receiver.received) assert.ok(verifyNow(received, secret));
  const [first] = receiver.received.map(({ event }) => event as unknown as AuditEvent);
  assert.equal(first?.type, 'gatehouse.audit.link.created');
  assert.equal(first.data.sub, 'ada');
  assert.equal(first.subject, `link/${first.data.resource.id}`);

  const { json } = await client('/audit?action=link.created', { as: session });
  const entries = json['items'] as AuditEntry[];
  assert.deepEqual(receiver.taken().toSorted(), entries.map(({ id }) => id).toSorted());
  const feed = await client(`/events?spaceId=${spaceId}&limit=200`, { as: session });
  const ids = (feed.json['items'] as { event: AuditEvent }[]).map(({ event }) => event.id);
  assert.equal(new Set(ids).size, ids.length);

  // Sending, delivering and reading leave no entries, so no loop can start.
  const types = (feed.json['items'] as { event: AuditEvent }[]).map(({ event }) => event.type);
  assert.deepEqual([...new Set(types)].toSorted(), [
    'gatehouse.audit.link.created',
    'gatehouse.audit.settings.changed',
    'gatehouse.audit.subscription.created',
  ]);

  const forged = { ...makeEvent(), type: 'gatehouse.audit.link.created' };
  for (const [type, body] of [
    ['application/json', { events: [forged] }],
    ['application/cloudevents+json', forged],
  ] as const) {
    const answer = await client('/events', { as: key, body, headers: { 'content-type': type } });
    const { processed, errors } = answer.json as unknown as IngestResult;
    assert.equal(processed, 0, answer.text);
    assert.match(errors?.[0]?.error ?? '', /^type: must not start with gatehouse\.audit\./);
  }
});
