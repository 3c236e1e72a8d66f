import { dirname, join } from 'node:path';
import { PROGRAM as BUNDLED, isFresh } from '../../../build/freshness.ts';

/** The program of the service in the source files. */
export const MAIN = join(import.meta.dirname, '../../../src/main.ts');
/** In a test run, the program of the service in the bundle. */
export const TESTED: string | undefined = process.env['GATEHOUSE_TEST_SERVER'];
/** The program of the service. Outside of a test run, for example in a benchmark, the program that `start.sh` would start. */
export const PROGRAM: string = TESTED ?? (isFresh() ? BUNDLED : MAIN);
/** The program of the commands. */
export const COMMANDS: string =
  PROGRAM === MAIN
    ? join(import.meta.dirname, '../../../src/start/commands/main.ts')
    : join(dirname(PROGRAM), 'start.commands.main.mjs');
