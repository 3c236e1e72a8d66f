import { spawn } from 'node:child_process';
import { join } from 'node:path';

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
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bare-inserts.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(request));
  const output: Buffer[] = [];
  for await (const chunk of child.stdout) output.push(chunk as Buffer);
  const text = Buffer.concat(output).toString();
  if (text === '') throw new Error('the bare client ended without a result');
  return Number(text);
}
