import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { LoadRequest } from './main.ts';
import type { LoadResult } from './run-load.ts';

/** Runs a load in a separate process, so that it shares no thread with the measured service. */
export async function spawnLoad(request: LoadRequest): Promise<LoadResult> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(request));
  const output: Buffer[] = [];
  for await (const chunk of child.stdout) output.push(chunk as Buffer);
  const text = Buffer.concat(output).toString();
  if (text === '') throw new Error('the load ended without a result');
  return JSON.parse(text) as LoadResult;
}
