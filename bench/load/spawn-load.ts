import { join } from 'node:path';
import { runProgram } from '../lib/run-program.ts';
import type { LoadRequest } from './main.ts';
import type { LoadResult } from './run-load.ts';

/** Runs a load in a separate process, so that it shares no thread with the measured service. */
export async function spawnLoad(request: LoadRequest): Promise<LoadResult> {
  const text = await runProgram(join(import.meta.dirname, 'main.ts'), request);
  return JSON.parse(text) as LoadResult;
}
