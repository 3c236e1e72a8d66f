// Claim: document events are applied as fast as small documents are indexed. Sends new documents, then changed metadata, then identical
// events, then changed texts. Measures the events per second until all events are applied, and the documents per second until all
// documents are indexed.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, clientOf } from '../../packages/server/tests/support/http/client.ts';
import { sendDocumentEvents } from '../../packages/server/tests/support/knowledge/document-events.ts';
import { untilIndexed } from '../../packages/server/tests/support/knowledge/knowledge.ts';
import { makeSpace, signIn } from '../../packages/server/tests/support/provision.ts';
import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { text } from '../lib/knowledge.ts';
import { report } from '../lib/machine.ts';
import { numberOptions } from '../lib/options.ts';
import { startExisting, startProvisioned } from '../lib/service.ts';
import { spread } from '../lib/spread.ts';

const options = numberOptions({ runs: 5, documents: 2000, words: 60 });
const EVENTS_PER_REQUEST = 100;
const KINDS = ['new', 'changed metadata', 'unchanged', 'changed texts'] as const;

async function untilApplied(client: Client): Promise<void> {
  for (;;) {
    const { text: metrics } = await client('/metrics');
    if (/^gatehouse_document_events_lag 0$/m.test(metrics)) return;
    await sleep(5);
  }
}

function changeOf(index: number, kind: (typeof KINDS)[number], first: readonly string[]) {
  const isOther = kind === 'changed texts';
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
    const news = first.map((_, index) => changeOf(index, kind, first));
    const startedAt = performance.now();
    for (let at = 0; at < news.length; at += EVENTS_PER_REQUEST)
      await sendDocumentEvents(client, as, id, news.slice(at, at + EVENTS_PER_REQUEST));
    await untilApplied(client);
    const perSecond = () => (options.documents / (performance.now() - startedAt)) * 1000;
    row[`${kind}, applied`] = perSecond();
    await untilIndexed(client, as, id);
    row[`${kind}, indexed`] = perSecond();
  }
  runs.push(row);
  process.stderr.write(`${JSON.stringify(row)}\n`);
}

const names = Object.keys(runs[0] ?? {});
report('document events per second', {
  options,
  results: Object.fromEntries(
    names.map((name) => [name, spread(runs.map((row) => row[name] ?? Number.NaN))]),
  ),
});
