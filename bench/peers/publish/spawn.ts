import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { JetStreamTarget } from './jetstream.ts';
import type { KafkaTarget } from './kafka.ts';

export interface PublishRequest {
  readonly to: JetStreamTarget | KafkaTarget;
  /** Number of batches in flight. */
  readonly connections: number;
  readonly seconds: number;
  readonly events: number;
  readonly eventBytes: number;
  readonly duplicates: number;
}

/** Publishes batches in a separate process. Returns the number of acknowledged events per second. */
export async function spawnPublish(request: PublishRequest): Promise<number> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(request));
  const output: Buffer[] = [];
  for await (const chunk of child.stdout) output.push(chunk as Buffer);
  const text = Buffer.concat(output).toString();
  if (text === '') throw new Error('the publisher ended without a result');
  return Number(text);
}
