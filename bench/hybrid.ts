// What an embedding model adds to a search over 300,000 passages, the model's own time left out: one
// that answers at once, on this machine. No target is set for it.

import { clientOf } from '../packages/server/tests/support/client.ts';
import { exchangeLink, makeLink } from '../packages/server/tests/support/provision.ts';
import { seeded } from '../packages/server/tests/support/seeded.ts';
import { startService, temporaryDirectory } from '../packages/server/tests/support/service.ts';
import { fillKnowledge, word } from './lib/knowledge.ts';
import { machine } from './lib/machine.ts';
import { numberOptions } from './lib/options.ts';
import { startProvisioned } from './lib/service.ts';
import { round, spread } from './lib/spread.ts';
import { fillVectors, MODEL, startModel } from './lib/vectors.ts';

const options = numberOptions({ passages: 300_000, dimensions: 768, queries: 100, runs: 3 });
const random = seeded(11);

const FILTERS = {
  none: {},
  'public, 40 %': { tags: { eq: 'public' } },
  'a range, by no index, 50 %': { level: { gte: 5 } },
  'a department, 0.1 %': { department: { eq: 'd7' } },
};

using directory = temporaryDirectory();
const { spaceId, key } = await (async () => {
  await using service = await startProvisioned(directory.path);
  return { spaceId: service.spaceId, key: service.authorization.replace('Bearer ', '') };
})();
await fillKnowledge(directory.path, spaceId, options.passages);
await fillVectors(directory.path, options.dimensions);
await using model = await startModel(options.dimensions);

const queries = Array.from({ length: options.queries }, () =>
  Array.from({ length: 2 + random.below(3) }, () =>
    word(30 + Math.floor(random.next() ** 2 * 3000)),
  ),
).map((words) => words.join(' '));

const results: Record<string, unknown> = {};
for (const [kind, env] of [
  ['by words', {}],
  ['by words and vectors', { GATEHOUSE_MODEL_URL: model.url, GATEHOUSE_EMBEDDING_MODEL: MODEL }],
] as const) {
  await using service = await startService(directory.path, { env });
  const client = clientOf(service.url);
  for (const [name, permissionFilter] of Object.entries(FILTERS)) {
    const link = await makeLink(client, key, { permissionFilter });
    const as = await exchangeLink(client, link.token);
    const p50: number[] = [];
    const p95: number[] = [];
    for (let run = 0; run <= options.runs; run += 1) {
      const times: number[] = [];
      for (const query of queries) {
        const begun = performance.now();
        const answer = await client(`/spaces/${spaceId}/search`, { as, body: { query } });
        if (answer.status !== 200) throw new Error(answer.text);
        times.push(performance.now() - begun);
      }
      times.sort((a, b) => a - b);
      // The first run warms up.
      if (run === 0) continue;
      p50.push(times[Math.floor(times.length * 0.5)] ?? Number.NaN);
      p95.push(times[Math.floor(times.length * 0.95)] ?? Number.NaN);
    }
    results[`${kind}; ${name}`] = { p50Ms: spread(p50), p95Ms: spread(p95) };
    process.stderr.write(`${kind}; ${name}: ${JSON.stringify(results[`${kind}; ${name}`])}\n`);
  }
  results[`${kind}; rss MB`] = round(service.rss());
}

console.log(JSON.stringify({ machine: machine(), options, results }, null, 2));
