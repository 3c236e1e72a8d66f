// Measures by how much an embedding model slows down a search of 300,000 passages. Excludes the response time of the model, because a
// local fake model answers immediately. The benchmark has no target.

import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { machine } from '../lib/machine.ts';
import { numberOptions } from '../lib/options.ts';
import { FILTERS, provisionKnowledge, someQueries, timeSearches } from '../lib/searches.ts';
import { startExisting } from '../lib/service.ts';
import { round } from '../lib/spread.ts';
import { fillVectors, MODEL, startModel } from '../lib/vectors.ts';

const options = numberOptions({ passages: 300_000, dimensions: 768, queries: 100, runs: 3 });

using directory = temporaryDirectory();
const space = await provisionKnowledge(directory.path, options.passages);
await fillVectors(directory.path, options.dimensions);
await using model = await startModel(options.dimensions);
const searches = { space, queries: someQueries(options.queries), runs: options.runs };

const results: Record<string, unknown> = {};
for (const [kind, env] of [
  ['keywords', {}],
  ['keywords and vectors', { GATEHOUSE_MODEL_URL: model.url, GATEHOUSE_EMBEDDING_MODEL: MODEL }],
] as const) {
  await using service = await startExisting(directory.path, env);
  for (const [name, filter] of Object.entries(FILTERS)) {
    const times = await timeSearches(service.url, filter, searches);
    results[`${kind}; ${name}`] = times;
    process.stderr.write(`${kind}; ${name}: ${JSON.stringify(times)}\n`);
  }
  results[`${kind}; rss MB`] = round(service.rss());
}

console.log(JSON.stringify({ machine: machine(), options, results }, null, 2));
