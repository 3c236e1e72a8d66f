import assert from 'node:assert/strict';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { DatabaseServer } from '../storage/faults/database-server.ts';
import { ON_POSTGRES } from '../support/backend.ts';
import { clientOf } from '../support/client.ts';
import { feedIds, idsOf, ingest, makeEvents } from '../support/events.ts';
import { exchangeLink, makeKey, makeLink, makeSpace, signIn } from '../support/provision.ts';
import { startReplicas } from '../support/replicas.ts';
import { temporaryDirectory } from '../support/service.ts';

const directory = temporaryDirectory();
after(() => directory[Symbol.dispose]());

// The same whatever backend the other tests run on: once is enough.
const skip = postgresIsMissing ?? (ON_POSTGRES ? 'it runs with the embedded store' : false);

test('all that was acknowledged until the log was last archived is back when the database server is gone', {
  skip,
}, async () => {
  const archive = join(directory.path, 'archive');
  const backups = join(directory.path, 'backups');
  for (const folder of [archive, backups]) mkdirSync(folder);
  // The database's user must get to them.
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
  // What was not archived, its sender sends again, and what was, too.
  for (const batch of events) await ingest(client, { as: key, body: { events: batch } });
  assert.deepEqual((await feedIds(client, key)).toSorted(), idsOf(events.flat()).toSorted());
});
