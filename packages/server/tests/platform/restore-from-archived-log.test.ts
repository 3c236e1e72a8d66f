import assert from 'node:assert/strict';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { DatabaseServer } from '../storage/faults/database-server.ts';
import { feedIds, idsOf, ingest, makeEvents } from '../support/events/events.ts';
import { clientOf } from '../support/http/client.ts';
import { exchangeLink, makeKey, makeLink, makeSpace, signIn } from '../support/provision.ts';
import { temporaryDirectory } from '../support/services/service.ts';
import { ON_POSTGRES } from '../support/storage/backend.ts';
import { startReplicas } from '../support/storage/replicas.ts';

const directory = temporaryDirectory();
after(() => directory[Symbol.dispose]());

// This test always uses PostgreSQL, so one run is enough.
const skip = postgresIsMissing ?? (ON_POSTGRES ? 'runs only in the SQLite pass' : false);

test('after the loss of the database server, everything acknowledged before the last archived log is restored', {
  skip,
}, async () => {
  const archive = join(directory.path, 'archive');
  const backups = join(directory.path, 'backups');
  for (const folder of [archive, backups]) mkdirSync(folder);
  // The user of the database must be able to access these folders.
  chmodSync(directory.path, 0o755);
  const events = Array.from({ length: 3 }, () => makeEvents(100));
  const [early = [], later = [], last = []] = events;
  let key = '';
  let token = '';
  {
    await using database = await DatabaseServer.make({ archiveIn: archive });
    await using replicas = await startReplicas(2, {}, database.url('postgres'));
    const [one, other] = replicas.services.map(({ url }) => clientOf(url));
    assert.ok(one && other);
    const session = await signIn(one);
    key = await makeKey(one, session, (await makeSpace(one, session)).id);
    await ingest(one, { as: key, body: { events: early } });
    database.backUp(join(backups, 'base'));
    await ingest(other, { as: key, body: { events: later } });
    token = (await makeLink(other, key, { sub: 'ada' })).token;
    await database.archive();
    await ingest(one, { as: key, body: { events: last } });
    await database.stop('kill');
  }
  await using database = await DatabaseServer.restore(join(backups, 'base'), archive);
  await using replicas = await startReplicas(1, {}, database.url('postgres'));
  const client = clientOf(replicas.services[0]?.url ?? '');
  const sent = idsOf([...early, ...later]);
  assert.deepEqual((await feedIds(client, key)).toSorted(), sent.toSorted());
  assert.ok(await exchangeLink(client, token));
  // Senders send all events again. The service does not store duplicates.
  for (const batch of events) await ingest(client, { as: key, body: { events: batch } });
  assert.deepEqual((await feedIds(client, key)).toSorted(), idsOf(events.flat()).toSorted());
});
