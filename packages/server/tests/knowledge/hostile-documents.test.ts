import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FULL, SEED } from '@gatehouse/filter/tests/campaign';
import {
  endlessPdf,
  type HostileDocument,
  hostileDocuments,
} from '../support/knowledge/hostile-documents.ts';
import { untilDocumentIndexed } from '../support/knowledge/knowledge.ts';
import {
  isRunning,
  parserProcessesOf,
  peakMemoryDuring,
} from '../support/knowledge/parser-processes.ts';
import { makeSpace } from '../support/provision.ts';
import { seeded } from '../support/seeded.ts';
import {
  type ChildWithSpace,
  startChildWithSpace,
} from '../support/services/service-with-space.ts';
import { until } from '../support/until.ts';

/** Maximum growth of the service's resident memory in MiB. */
const MAX_GROWTH = 200;
const PARSER_LIMIT = 192;
/** Memory by which a process may exceed its limit between two measurements. */
const BETWEEN_MEASUREMENTS = 64;
const CONTAINER_LIMIT = 1024;
/** Number of random hostile documents in `npm test`. `npm run test:chaos` uploads all of them. */
const SAMPLE = 2;

const running = await startChildWithSpace();
after(() => running[Symbol.asyncDispose]());

/** Uploads a file and returns the path of its document. */
async function upload(
  { service, session, space }: ChildWithSpace,
  { name, content }: { readonly name: string; readonly content: Buffer },
  spaceId = space.id,
): Promise<string> {
  const form = new FormData();
  form.set('file', new File([new Uint8Array(content)], name));
  const response = await fetch(`${service.url}/spaces/${spaceId}/documents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${session}` },
    body: form,
  });
  assert.equal(response.status, 201, await response.clone().text());
  const { id } = (await response.json()) as { id: string };
  return `/spaces/${spaceId}/documents/${id}`;
}

async function assertNoneRemains(running: ChildWithSpace, signal: NodeJS.Signals): Promise<void> {
  const pids = await untilParsing(running);
  await running.service.stop(signal);
  await until('the parser processes have ended', () => !pids.some(isRunning));
}

async function stateOf({ client, session }: ChildWithSpace, path: string): Promise<unknown> {
  return (await client(path, { as: session })).json['state'];
}

async function assertWorks(running: ChildWithSpace, text: string): Promise<void> {
  const path = await upload(running, { name: 'good.txt', content: Buffer.from(text) });
  const { state } = await untilDocumentIndexed(running.client, running.session, path);
  assert.equal(state, 'ready');
}

function sampleOf(documents: readonly HostileDocument[]): readonly HostileDocument[] {
  const random = seeded(SEED);
  const rest = [...documents];
  while (!FULL && rest.length > SAMPLE) rest.splice(random.below(rest.length), 1);
  return rest;
}

async function untilParsing({ service }: ChildWithSpace): Promise<number[]> {
  await until('a document is parsed', () => parserProcessesOf(service).length > 0);
  return parserProcessesOf(service).map(({ pid }) => pid);
}

test('no document raises the memory of the service by more than 200 MB', async (t) => {
  const { service, client, session } = running;
  await assertWorks(running, 'The service has loaded its code.');
  t.diagnostic(`seed ${SEED}`);
  for (const document of sampleOf(hostileDocuments()))
    await t.test(document.what, async (inner) => {
      const content = document.content();
      const before = service.rss();
      const peak = await peakMemoryDuring(service, async () => {
        const path = await upload(running, { name: document.name, content });
        const { state, failure } = await untilDocumentIndexed(client, session, path);
        assert.equal(state, 'failed');
        assert.match(failure ?? '', document.reason);
      });
      inner.diagnostic(`${Math.round(before)} MiB before, ${JSON.stringify(peak)}`);
      assert.ok(peak.service - before < MAX_GROWTH, JSON.stringify(peak));
      assert.ok(peak.parser < PARSER_LIMIT + BETWEEN_MEASUREMENTS, JSON.stringify(peak));
      assert.ok(peak.total < CONTAINER_LIMIT, JSON.stringify(peak));
    });
  await t.test('four uploads of 20 MB at once', async () => {
    const before = service.rss();
    const peak = await peakMemoryDuring(service, async () => {
      const sent = Array.from({ length: 4 }, (_, index) => {
        const content = Buffer.from(`${index} `.repeat(10_000_000));
        return upload(running, { name: `${index}.txt`, content });
      });
      for (const path of await Promise.all(sent)) await untilDocumentIndexed(client, session, path);
    });
    assert.ok(peak.service - before < MAX_GROWTH, JSON.stringify(peak));
  });
  await t.test('20 MB of Markdown in JSON', async () => {
    const before = service.rss();
    const markdown = '# Title\n\nText. '.repeat(1_300_000);
    const peak = await peakMemoryDuring(service, async () => {
      const body = { fileName: 'json.md', markdown };
      const path = `/spaces/${running.space.id}/documents`;
      const { status, json } = await client(path, { as: session, body });
      assert.equal(status, 201);
      await untilDocumentIndexed(client, session, `${path}/${json['id']}`);
    });
    assert.ok(peak.service - before < MAX_GROWTH, JSON.stringify(peak));
  });
  await assertWorks(running, 'The next document is indexed.');
});

test('documents of other spaces are indexed while slow documents are parsed, and no parser process remains after the service is killed', async () => {
  await using busy = await startChildWithSpace();
  const { client, session, space } = busy;
  const content = endlessPdf();
  const slow: string[] = [];
  const other = await makeSpace(client, session);
  for (const spaceId of [space.id, other.id])
    for (const name of ['one.pdf', 'two.pdf', 'three.pdf'])
      slow.push(await upload(busy, { name, content }, spaceId));
  await untilParsing(busy);
  const { id } = await makeSpace(client, session);
  const good = await upload(busy, { name: 'good.txt', content: Buffer.from('Text.') }, id);
  assert.equal((await untilDocumentIndexed(client, session, good)).state, 'ready');
  for (const path of slow) assert.equal(await stateOf(busy, path), 'processing');
  await assertNoneRemains(busy, 'SIGKILL');
});

test('a document whose parser is killed again and again fails, and the next document is indexed', async () => {
  const { service } = running;
  const path = await upload(running, { name: 'endless.pdf', content: endlessPdf() });
  await until(
    'the document has failed',
    async () => {
      // A parser that nobody kills needs hours, so none is missed.
      await sleep(50);
      for (const { pid } of parserProcessesOf(service)) process.kill(pid, 'SIGKILL');
      return (await stateOf(running, path)) === 'failed';
    },
    120_000,
  );
  const { json } = await running.client(path, { as: running.session });
  assert.match(String(json['failure']), /after several attempts/);
  await assertWorks(running, 'Text.');
});

// This test stops the shared service, so it is the last one.
test('no parser process remains after the service has ended with SIGTERM', async () => {
  // The space of the other tests already contains this document.
  const { id } = await makeSpace(running.client, running.session);
  await upload(running, { name: 'endless.pdf', content: endlessPdf() }, id);
  await assertNoneRemains(running, 'SIGTERM');
});
