/**
 * Preload of the process that simulates replicas. It replaces `pg`, the network, the timers and the clocks below our own source files, which
 * are unchanged, except for the clock of the database and for the defect that `GATEHOUSE_SIMULATED_DEFECT` names.
 */
import { registerHooks } from 'node:module';
import { type Replacement, replaceIn } from '../defects.ts';
import { replaceGlobals } from '../os/timers.ts';
import { REPLICA_DEFECTS } from './defects.ts';

const SOURCES = new URL('../../../../src/', import.meta.url).href;
const REPLACED: Readonly<Record<string, string>> = {
  pg: './pg.ts',
  'node:net': './net.ts',
  'node:timers/promises': '../os/timers.ts',
};

/** A sequence takes no part in transactions, so reading the clock causes no conflicts. */
const CLOCK: Replacement = {
  file: 'storage/postgres/replicas/replica.ts',
  from: "'(extract(epoch from clock_timestamp()) * 1000)::bigint'",
  to: "'(select last_value from simulated_clock)'",
};

const name = process.env['GATEHOUSE_SIMULATED_DEFECT'];
const defect = REPLICA_DEFECTS.find((one) => one.name === name);
if (name !== undefined && defect === undefined) throw new Error(`there is no defect ${name}`);
const replacements = [CLOCK, ...(defect?.replacements ?? [])];

registerHooks({
  resolve: (specifier, context, next) => {
    const replaced = REPLACED[specifier];
    if (replaced === undefined || context.parentURL?.startsWith(SOURCES) !== true)
      return next(specifier, context);
    return { url: new URL(replaced, import.meta.url).href, shortCircuit: true };
  },
  load: (url, context, next) => {
    const loaded = next(url, context);
    if (!url.startsWith(SOURCES)) return loaded;
    const source = replaceIn(url.slice(SOURCES.length), String(loaded.source), replacements);
    return { ...loaded, source };
  },
});
replaceGlobals();
// The delays before a transaction is repeated are random.
Math.random = () => 0.5;
