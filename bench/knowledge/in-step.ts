// Claim: what events say of documents is applied as fast as small documents are read. New documents, then
// the same with other metadata, then the same again, then other texts: events a second from the first
// one sent until all are applied, and documents a second until all texts are read.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, clientOf } from '../../packages/server/tests/support/client.ts';
import { sendDocumentEvents } from '../../packages/server/tests/support/document-events.ts';
import { untilRead } from '../../packages/server/tests/support/knowledge.ts';
import { makeSpace, signIn } from '../../packages/server/tests/support/provision.ts';
import { temporaryDirectory } from '../../packages/server/tests/support/service.ts';
import { text } from '../lib/knowledge.ts';
import { machine } from '../lib/machine.ts';
import { numberOptions } from '../lib/options.ts';
import { startExisting, startProvisioned } from '../lib/service.ts';
import { spread } from '../lib/spread.ts';

const options = numberOptions({ runs: 5, documents: 2000, words: 60 });
const EVENTS_AT_ONCE = 100;
const KINDS = ['new', 'other metadata', 'the same', 'other texts'] as const;

async function untilApplied(client: Client): Promise<void> {
  for (;;) {
    const { text: metrics } = await client('/metrics');
    if (/^gatehouse_document_events_lag 0$/m.test(metrics)) return;
    await sleep(5);
  }
}

function saidOf(index: number, kind: (typeof KINDS)[number], first: readonly string[]) {
  const isOther = kind === 'other texts';
  return {
    subject: `document/${index}`,
    data: {
      fileName: `document ${index}.txt`,
      text: isOther ? text(options.words) : first[index],
      metadata: { team: kind === 'new' ? 'a' : 'b' },
    },
  };
}

using directory = temporaryDirectory();
await using _first = await startProvisioned(directory.path);
await _first.stop();

const runs: Record<string, number>[] = [];
for (let run = 0; run < options.runs; run += 1) {
  await using service = await startExisting(directory.path);
  const client = clientOf(service.url);
  const as = await signIn(client);
  const { id } = await makeSpace(client, as);
  const first = Array.from({ length: options.documents }, () => text(options.words));
  const row: Record<string, number> = {};
  for (const kind of KINDS) {
    const news = first.map((_, index) => saidOf(index, kind, first));
    const begun = performance.now();
    for (let at = 0; at < news.length; at += EVENTS_AT_ONCE)
      await sendDocumentEvents(client, as, id, news.slice(at, at + EVENTS_AT_ONCE));
    await untilApplied(client);
    const perSecond = () => (options.documents / (performance.now() - begun)) * 1000;
    row[`${kind}, applied`] = perSecond();
    await untilRead(client, as, id);
    row[`${kind}, read`] = perSecond();
  }
  runs.push(row);
  process.stderr.write(`${JSON.stringify(row)}\n`);
}

const names = Object.keys(runs[0] ?? {});
console.log(
  JSON.stringify(
    {
      claim: 'documents that follow events, a second',
      machine: machine(),
      options,
      results: Object.fromEntries(
        names.map((name) => [name, spread(runs.map((row) => row[name] ?? Number.NaN))]),
      ),
    },
    null,
    2,
  ),
);
