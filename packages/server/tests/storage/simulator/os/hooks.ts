/**
 * Preload of the simulated process. It replaces the operating system below our own source files: `node:fs`, `node:sqlite`,
 * `node:timers/promises`, `node:worker_threads`, the global timers and the clocks. The source files themselves are unchanged, except
 * for the sizes in `TUNING` and for the defect that `GATEHOUSE_SIMULATED_DEFECT` names.
 */
import { DEFECTS, TUNING } from '../defects.ts';
import { replaceSources } from './replace-sources.ts';
import { replaceGlobals } from './timers.ts';

/** Scripts of threads. */
const THREAD = /^storage\/sqlite\/.*(?<!\/reader)-thread\.ts$/;

replaceSources({
  modules: {
    'node:fs': new URL('files.ts', import.meta.url),
    'node:sqlite': new URL('sqlite.ts', import.meta.url),
    'node:timers/promises': new URL('timers.ts', import.meta.url),
    'node:worker_threads': new URL('threads.ts', import.meta.url),
  },
  replacements: TUNING,
  defects: DEFECTS,
  change: (file, source) => (THREAD.test(file) ? toFunction(source) : source),
});
replaceGlobals();

/** Converts the script of a thread to a function, so that each process run can start the thread again. */
function toFunction(source: string): string {
  const end = source.lastIndexOf('\nimport ');
  const body = source.indexOf(';\n', end + 1) + 2;
  return `${source.slice(0, body)}export function run() {\n${source.slice(body).replaceAll(/^export /gm, '')}\n}\n`;
}
