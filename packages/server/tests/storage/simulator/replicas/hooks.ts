/**
 * Preload of the process that simulates replicas. It replaces `pg`, the network, the timers and the clocks below our own source files, which
 * are unchanged, except for the clock of the database and for the defect that `GATEHOUSE_SIMULATED_DEFECT` names.
 */
import type { Replacement } from '../defects.ts';
import { replaceSources } from '../os/replace-sources.ts';
import { replaceGlobals } from '../os/timers.ts';
import { REPLICA_DEFECTS } from './defects.ts';

/** A sequence takes no part in transactions, so reading the clock causes no conflicts. */
const CLOCK: Replacement = {
  file: 'storage/postgres/replicas/replica.ts',
  from: "'(extract(epoch from clock_timestamp()) * 1000)::bigint'",
  to: "'(select last_value from simulated_clock)'",
};

replaceSources({
  modules: {
    pg: new URL('pg.ts', import.meta.url),
    'node:net': new URL('net.ts', import.meta.url),
    'node:timers/promises': new URL('../os/timers.ts', import.meta.url),
  },
  replacements: [CLOCK],
  defects: REPLICA_DEFECTS,
});
replaceGlobals();
// The delays before a transaction is repeated are random.
Math.random = () => 0.5;
