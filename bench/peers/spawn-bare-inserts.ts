import { join } from 'node:path';
import { runProgram } from '../lib/run-program.ts';

export interface BareInserts {
  readonly host: string;
  readonly user: string;
  readonly database: string;
  readonly connections: number;
  readonly seconds: number;
  readonly events: number;
  readonly eventBytes: number;
}

export async function spawnBareInserts(request: BareInserts): Promise<number> {
  const text = await runProgram(join(import.meta.dirname, 'bare-inserts.ts'), request);
  return Number(text);
}
