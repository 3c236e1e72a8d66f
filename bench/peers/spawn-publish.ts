import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { PublishRequest, PublishResult } from './publish.ts';

export async function spawnPublish(request: PublishRequest): Promise<number> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'publish.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(request));
  const output: Buffer[] = [];
  for await (const chunk of child.stdout) output.push(chunk as Buffer);
  const text = Buffer.concat(output).toString();
  if (text === '') throw new Error('the publisher ended without a result');
  return (JSON.parse(text) as PublishResult).eventsPerSecond;
}
