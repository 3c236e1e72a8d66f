/**
 * Preload of the simulated process. It replaces the operating system below our own source files: `node:fs`, `node:sqlite`,
 * `node:timers/promises`, `node:worker_threads`, the global timers and the clocks. The source files themselves are unchanged, except
 * for the sizes in `TUNING` and for the defect that `GATEHOUSE_SIMULATED_DEFECT` names.
 */
import { registerHooks } from 'node:module';
import { DEFECTS, replaceIn, TUNING } from '../defects.ts';
import { replaceGlobals } from './timers.ts';

const SOURCES = new URL('../../../../src/', import.meta.url).href;
const REPLACED: Readonly<Record<string, string>> = {
  'node:fs': 'files.ts',
  'node:sqlite': 'sqlite.ts',
  'node:timers/promises': 'timers.ts',
  'node:worker_threads': 'threads.ts',
};

/** Scripts of threads. */
const THREAD = /^storage\/sqlite\/.*(?<!\/reader)-thread\.ts$/;

const name = process.env['GATEHOUSE_SIMULATED_DEFECT'];
const defect = name === undefined ? undefined : DEFECTS.find((one) => one.name === name);
if (name !== undefined && defect === undefined) throw new Error(`there is no defect ${name}`);
const replacements = [...TUNING, ...(defect?.replacements ?? [])];

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
    const file = url.slice(SOURCES.length);
    const source = replaceIn(file, String(loaded.source), replacements);
    return { ...loaded, source: THREAD.test(file) ? toFunction(source) : source };
  },
});
replaceGlobals();

/** Converts the script of a thread to a function, so that each process run can start the thread again. */
function toFunction(source: string): string {
  const end = source.lastIndexOf('\nimport ');
  const body = source.indexOf(';\n', end + 1) + 2;
  return `${source.slice(0, body)}export function run() {\n${source.slice(body).replaceAll(/^export /gm, '')}\n}\n`;
}
