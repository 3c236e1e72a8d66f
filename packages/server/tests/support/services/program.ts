import { dirname, join } from 'node:path';
import { PROGRAM as BUNDLED, isFresh } from '../../../build/freshness.ts';

/** The program of the service in the source files. */
export const MAIN = join(import.meta.dirname, '../../../src/main.ts');
/** In a test run, the program of the service in the bundle. */
export const TESTED: string | undefined = process.env['GATEHOUSE_TEST_SERVER'];

let found: string | undefined = TESTED;
/** Returns the program of the service. Outside of a test run, for example in a benchmark, the program that `start.sh` would start. */
export function programOfService(): string {
  found ??= isFresh() ? BUNDLED : MAIN;
  return found;
}

/** Returns the program of the commands. */
export function programOfCommands(): string {
  const program = programOfService();
  return program === MAIN
    ? join(dirname(MAIN), 'start/commands/main.ts')
    : join(dirname(program), 'start.commands.main.mjs');
}

/** Returns the program of the demo. */
export function programOfDemo(): string {
  const program = programOfService();
  return program === MAIN
    ? join(dirname(MAIN), '../demo/demo.ts')
    : join(dirname(program), 'demo.mjs');
}

/** Returns the program of the parser processes in the bundle. Outside of a test run, `{}`. */
export function parserOfTestRun(): { readonly program?: string } {
  if (TESTED === undefined) return {};
  return { program: join(dirname(TESTED), 'knowledge.parsers.processes.parser-main.mjs') };
}
