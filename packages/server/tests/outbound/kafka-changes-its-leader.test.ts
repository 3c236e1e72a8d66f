import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FULL, roundsOf, SEED } from '@gatehouse/filter/tests/campaign';
import { startKafka } from '../support/brokers/kafka/cluster.ts';
import { NO_KAFKA } from '../support/brokers/kafka/program.ts';
import { untilPublished } from '../support/brokers/kafka/publishing.ts';
import { createSender } from '../support/events/sender.ts';
import { clientOf } from '../support/http/client.ts';
import { seeded } from '../support/seeded.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';

const TOPIC = 'shop.events';
const HOW = ['SIGTERM', 'SIGKILL', 'SIGSTOP'] as const;

test('publishes all events in order although the leader of the partition changes', {
  skip: NO_KAFKA || (!FULL && 'runs in npm run test:chaos'),
}, async (t) => {
  t.diagnostic(`seed ${SEED}`);
  const random = seeded(SEED);
  await using kafka = await startKafka({ size: 3 });
  await kafka.addTopic(TOPIC, { configs: { 'min.insync.replicas': '2' } });
  using directory = temporaryDirectory();
  await using service = await startService(directory.path, {
    env: { GATEHOUSE_KAFKA_BROKERS: kafka.addresses(), GATEHOUSE_KAFKA_TOPIC: TOPIC },
  });
  const sender = await createSender(clientOf(service.url));
  let changes = 0;
  for (let round = 0; round < roundsOf(3, 12); round += 1) {
    const leader = await kafka.leaderOf(TOPIC);
    const sending = (async () => {
      for (let batch = 0; batch < 10; batch += 1) {
        await sender.send(service.url, `order/${batch % 3}`, 60);
        await sleep(random.below(50));
      }
    })();
    await sleep(random.below(300));
    const how = HOW[round % HOW.length];
    if (how === 'SIGSTOP') leader.signal(how);
    else await leader.stop(how);
    await sending;
    const { bySubject, records } = await untilPublished(kafka, TOPIC, sender);
    assert.deepEqual(bySubject, sender.sent);
    if ((await kafka.leaderOf(TOPIC)) !== leader) changes += 1;
    t.diagnostic(
      `${how}: ${bySubject.values().reduce((n, ids) => n + ids.length, 0)} events, ${records} records`,
    );
    if (how === 'SIGSTOP') leader.signal('SIGCONT');
    else await leader.start();
    await kafka.untilInSync(TOPIC);
  }
  t.diagnostic(`${changes} changes of the leader`);
  assert.ok(changes > 0);
});
