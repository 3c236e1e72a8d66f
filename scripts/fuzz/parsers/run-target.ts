import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Report } from './campaign.ts';

const run = promisify(execFile);
const MAX_OUTPUT = 64 * 1024 * 1024;

/** Runs a campaign against a target in a process of its own. */
export async function runTarget(name: string, inputs: number, seed: number): Promise<Report> {
  const program = join(import.meta.dirname, 'main.ts');
  const { stdout } = await run(process.execPath, [program, name, String(inputs), String(seed)], {
    env: { ...process.env, NODE_COMPILE_CACHE: undefined, NODE_OPTIONS: undefined },
    maxBuffer: MAX_OUTPUT,
  });
  return JSON.parse(stdout) as Report;
}
