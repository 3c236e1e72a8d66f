import { join } from 'node:path';
import { runProgram } from '../lib/run-program.ts';
import type { StreamsOptions, StreamsResult } from './read-streams.ts';

/** Reads streams in a separate process, so that reading does not share a thread with sending. */
export async function spawnStreams(options: StreamsOptions): Promise<StreamsResult> {
  const text = await runProgram(join(import.meta.dirname, 'main.ts'), options);
  return JSON.parse(text) as StreamsResult;
}
