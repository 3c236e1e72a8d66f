import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FULL, roundsOf, SEED } from '@gatehouse/filter/tests/campaign';
import { startNatsCluster } from '../support/brokers/nats-cluster.ts';
import { NO_NATS } from '../support/brokers/nats-server.ts';
import { createSender } from '../support/events/sender.ts';
import { clientOf } from '../support/http/client.ts';
import { seeded } from '../support/seeded.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { until } from '../support/until.ts';

const HOW = ['SIGTERM', 'SIGKILL', 'SIGSTOP'] as const;

test('publishes all events once and in order although the leader of the stream changes', {
  skip: NO_NATS || (!FULL && 'runs in npm run test:chaos'),
}, async (t) => {
  t.diagnostic(`seed ${SEED}`);
  const random = seeded(SEED);
  await using nats = await startNatsCluster();
  using directory = temporaryDirectory();
  await using service = await startService(directory.path, {
    env: { GATEHOUSE_NATS_URL: nats.url },
  });
  const client = clientOf(service.url);
  const sender = await createSender(client);
  for (let round = 0; round < roundsOf(3, 12); round += 1) {
    const leader = await nats.leader();
    const sending = (async () => {
      for (let batch = 0; batch < 10; batch += 1) {
        await sender.send(service.url, `order/${batch % 3}`, 60);
        await sleep(random.below(50));
      }
    })();
    await sleep(random.below(300));
    const how = HOW[round % HOW.length];
    if (how === 'SIGSTOP') leader.process().kill(how);
    else await leader.stop(how);
    await sending;
    await until('the lag is zero', async () =>
      /^gatehouse_sink_lag_events\{sink="nats"\} 0$/m.test((await client('/metrics')).text),
    );
    if (how === 'SIGSTOP') leader.process().kill('SIGCONT');
    else await leader.start();
    await nats.untilInSync();
    const messages = (await nats.messages()).map((text) => JSON.parse(text));
    for (const [subject, ids] of sender.sent)
      assert.deepEqual(
        messages.filter((event) => event.subject === subject).map(({ id }) => id),
        ids,
      );
    t.diagnostic(`${how}: ${messages.length} messages`);
  }
});
