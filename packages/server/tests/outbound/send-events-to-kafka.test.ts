import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type KafkaBroker, startKafka } from '../support/brokers/kafka/broker.ts';
import { roundsOf, SEED } from '../support/campaign.ts';
import { idsOf, ingest, makeEvents } from '../support/events/events.ts';
import { makeCertificate, NO_OPENSSL } from '../support/http/certificate.ts';
import { clientOf } from '../support/http/client.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { seeded } from '../support/seeded.ts';
import { sinkLines } from '../support/services/log-lines.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { until } from '../support/until.ts';

const TOPIC = 'shop.events';

const recordsOf = (kafka: KafkaBroker) => kafka.records(TOPIC).flat();

/** Returns the event IDs of each subject without duplicates, in the order of their first records. */
function uniqueIds(kafka: KafkaBroker): Map<string, string[]> {
  const found = new Map<string, Set<string>>();
  for (const { headers } of recordsOf(kafka)) {
    const [subject, id] = [String(headers.get('ce_subject')), String(headers.get('ce_id'))];
    found.set(subject, (found.get(subject) ?? new Set()).add(id));
  }
  return new Map([...found].map(([subject, ids]) => [subject, [...ids]]));
}

function envOf(kafka: KafkaBroker): Record<string, string> {
  return { GATEHOUSE_KAFKA_BROKERS: kafka.address, GATEHOUSE_KAFKA_TOPIC: TOPIC };
}

test('publishes each event to Kafka once and in order despite a broker restart', async (t) => {
  await using kafka = await startKafka({ topics: { [TOPIC]: 3 } });
  const directory = temporaryDirectory();
  t.after(() => directory[Symbol.dispose]());
  await using service = await startService(directory.path, { capture: true, env: envOf(kafka) });
  const client = clientOf(service.url);
  const session = await signIn(client);
  const key = await makeKey(client, session, (await makeSpace(client, session)).id);
  const sent = new Map<string, string[]>();
  const send = async (subject: string) => {
    const events = makeEvents(50, { subject });
    await ingest(client, { as: key, body: { events } });
    sent.set(subject, [...(sent.get(subject) ?? []), ...idsOf(events)]);
  };
  for (const subject of ['a', 'b', 'c', 'a', 'b', 'c']) await send(subject);
  await until('the first 300 events are published', () => recordsOf(kafka).length === 300);
  await kafka.stop();
  for (const subject of ['a', 'b', 'c']) await send(subject);
  await until('the failure is logged', () => sinkLines(service, 'kafka').length > 0);
  await kafka.start();
  await until('all events are published', () => recordsOf(kafka).length === 450);
  assert.deepEqual(uniqueIds(kafka), sent);
  await until('the recovery is logged', () => sinkLines(service, 'kafka').length === 2);
  assert.deepEqual(
    sinkLines(service, 'kafka').map(({ msg }) => msg),
    [
      'events for a sink are delayed: the Kafka brokers cannot be reached (ECONNREFUSED)',
      'a sink has recovered',
    ],
  );
  assert.equal(await service.stop(), 0);
});

test('publishes all events to Kafka in order despite kills and lost responses', async (t) => {
  t.diagnostic(`seed ${SEED}`);
  const random = seeded(SEED);
  await using kafka = await startKafka({ topics: { [TOPIC]: 3 } });
  const directory = temporaryDirectory();
  t.after(() => directory[Symbol.dispose]());
  let key = '';
  const sent = new Map<string, string[]>();
  for (let round = 0; round < roundsOf(3, 40); round += 1) {
    await using service = await startService(directory.path, { env: envOf(kafka) });
    const client = clientOf(service.url);
    if (key === '') {
      const session = await signIn(client);
      key = await makeKey(client, session, (await makeSpace(client, session)).id);
    }
    for (let batch = 0; batch < 8; batch += 1) {
      const subject = `order/${random.below(3)}`;
      const events = makeEvents(40, { subject });
      if (random.below(4) === 0) kafka.loseAnswers(1);
      await ingest(client, { as: key, body: { events } });
      sent.set(subject, [...(sent.get(subject) ?? []), ...idsOf(events)]);
    }
    await sleep(random.below(60));
    await service.stop('SIGKILL');
  }
  await using service = await startService(directory.path, { env: envOf(kafka) });
  const total = [...sent.values()].flat().length;
  await until(
    'all events are published',
    () => [...uniqueIds(kafka).values()].flat().length === total,
  );
  const published = uniqueIds(kafka);
  for (const [subject, ids] of sent) assert.deepEqual(published.get(subject), ids);
  t.diagnostic(`${total} events, ${recordsOf(kafka).length} records`);
  assert.equal(await service.stop(), 0);
});

test('publishes to Kafka over TLS with a user name and password', {
  skip: NO_OPENSSL,
}, async (t) => {
  const directory = temporaryDirectory();
  t.after(() => directory[Symbol.dispose]());
  const { certificate, key: keyFile } = makeCertificate(directory.path);
  const tls = { cert: readFileSync(certificate), key: readFileSync(keyFile) };
  const signedIn = { mechanism: 'SCRAM-SHA-512', user: 'gatehouse', password: 'pässwörd' } as const;
  await using kafka = await startKafka({ topics: { [TOPIC]: 1 }, tls, signIn: signedIn });
  const env = {
    ...envOf(kafka),
    GATEHOUSE_KAFKA_TLS: 'on',
    GATEHOUSE_KAFKA_SASL: 'scram-sha-512',
    GATEHOUSE_KAFKA_USER: signedIn.user,
    GATEHOUSE_KAFKA_PASSWORD: signedIn.password,
    NODE_EXTRA_CA_CERTS: certificate,
  };
  await using service = await startService(join(directory.path, 'data'), { capture: true, env });
  const client = clientOf(service.url);
  const session = await signIn(client);
  const key = await makeKey(client, session, (await makeSpace(client, session)).id);
  await ingest(client, { as: key, body: { events: makeEvents(10) } });
  await until('all events are published', () => recordsOf(kafka).length === 10);
  assert.deepEqual(sinkLines(service, 'kafka'), []);
});
