import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { roundsOf, SEED } from '../support/campaign.ts';
import { makeCertificate, NO_OPENSSL } from '../support/certificate.ts';
import { clientOf } from '../support/client.ts';
import { idsOf, ingest, makeEvents } from '../support/events.ts';
import { type KafkaBroker, startKafka } from '../support/kafka/broker.ts';
import { sinkLines } from '../support/log-lines.ts';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { seeded } from '../support/seeded.ts';
import { startService, temporaryDirectory } from '../support/service.ts';
import { until } from '../support/until.ts';

const TOPIC = 'shop.events';

const recordsOf = (kafka: KafkaBroker) => kafka.records(TOPIC).flat();

/** By subject, the ids in the order in which a consumer meets each for the first time. */
function firstMet(kafka: KafkaBroker): Map<string, string[]> {
  const met = new Map<string, Set<string>>();
  for (const { headers } of recordsOf(kafka)) {
    const [subject, id] = [String(headers.get('ce_subject')), String(headers.get('ce_id'))];
    met.set(subject, (met.get(subject) ?? new Set()).add(id));
  }
  return new Map([...met].map(([subject, ids]) => [subject, [...ids]]));
}

function envOf(kafka: KafkaBroker): Record<string, string> {
  return { GATEHOUSE_KAFKA_BROKERS: kafka.address, GATEHOUSE_KAFKA_TOPIC: TOPIC };
}

test('events go on to Kafka, once each and in order, over a broker that goes and comes back', async (t) => {
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
  await until('they are there', () => recordsOf(kafka).length === 300);
  await kafka.stop();
  for (const subject of ['a', 'b', 'c']) await send(subject);
  await until('it is said', () => sinkLines(service, 'kafka').length > 0);
  await kafka.start();
  await until('all are there', () => recordsOf(kafka).length === 450);
  assert.deepEqual(firstMet(kafka), sent);
  await until('it is said', () => sinkLines(service, 'kafka').length === 2);
  assert.deepEqual(
    sinkLines(service, 'kafka').map(({ msg }) => msg),
    [
      'events wait for a sink: the Kafka brokers cannot be reached (ECONNREFUSED)',
      'a sink works again',
    ],
  );
  assert.equal(await service.stop(), 0);
});

test('all events are in Kafka, in order, however often the service is killed and answers are lost', async (t) => {
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
  await until('all are there', () => [...firstMet(kafka).values()].flat().length === total);
  const met = firstMet(kafka);
  for (const [subject, ids] of sent) assert.deepEqual(met.get(subject), ids);
  t.diagnostic(`${total} events, ${recordsOf(kafka).length} records`);
  assert.equal(await service.stop(), 0);
});

test('events go on to Kafka over TLS, to a user of it', { skip: NO_OPENSSL }, async (t) => {
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
  await until('they are there', () => recordsOf(kafka).length === 10);
  assert.deepEqual(sinkLines(service, 'kafka'), []);
});
