// Claim: a search of 300,000 passages with a permission filter takes less than 5 ms (p50) and less than 20 ms (p95), even if the filter
// hides 99.9 % of the passages. Run with scripts/with-postgres.ts and GATEHOUSE_TEST_BACKEND=postgres to measure PostgreSQL.

import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { DEPARTMENTS } from '../lib/knowledge.ts';
import { machine } from '../lib/machine.ts';
import { numberOptions } from '../lib/options.ts';
import {
  FILTERS,
  provisionKnowledge,
  type SearchTimes,
  someQueries,
  timeSearches,
} from '../lib/searches.ts';
import { startExisting } from '../lib/service.ts';
import { round } from '../lib/spread.ts';

const options = numberOptions({ passages: 300_000, queries: 200, runs: 5 });

const filters = {
  ...FILTERS,
  'public or in a department, excluding one level, 36 %': {
    or: [{ tags: { eq: 'public' } }, { department: { in: ['d1', 'd2', 'd3'] } }],
    level: { ne: 3 },
  },
};

using directory = temporaryDirectory();
const space = await provisionKnowledge(directory.path, options.passages);
await using service = await startExisting(directory.path);
const searches = { space, queries: someQueries(options.queries), runs: options.runs };

const results: Record<string, SearchTimes> = {};
for (const [name, filter] of Object.entries(filters)) {
  results[name] = await timeSearches(service.url, filter, searches);
  process.stderr.write(`${name}: ${JSON.stringify(results[name])}\n`);
}

console.log(
  JSON.stringify(
    {
      claim: 'sequential searches of a widget session over HTTP',
      machine: machine(),
      options: { ...options, departments: DEPARTMENTS },
      results,
      rssMB: round(service.rss()),
      targets: { p50Ms: 5, p95Ms: 20 },
    },
    null,
    2,
  ),
);
