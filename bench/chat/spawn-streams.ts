import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { StreamsOptions, StreamsResult } from './read-streams.ts';

/** Reads streams in a separate process, so that reading does not share a thread with sending. */
export async function spawnStreams(options: StreamsOptions): Promise<StreamsResult> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(options));
  const output: Buffer[] = [];
  for await (const chunk of child.stdout) output.push(chunk as Buffer);
  const text = Buffer.concat(output).toString();
  if (text === '') throw new Error('the streams ended without a result');
  return JSON.parse(text) as StreamsResult;
}
