import { join } from 'node:path';
import { runProgram } from '../../lib/run-program.ts';
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
  const text = await runProgram(join(import.meta.dirname, 'main.ts'), request);
  return Number(text);
}
