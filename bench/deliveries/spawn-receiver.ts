import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ReceiverStats } from './receiver.ts';

export interface ReceiverProcess extends AsyncDisposable {
  readonly port: number;
  readonly process: ChildProcess;
  reset(): Promise<void>;
  count(): Promise<number>;
  stats(): Promise<ReceiverStats>;
}

export async function spawnReceiver(): Promise<ReceiverProcess> {
  const child = fork(join(import.meta.dirname, 'receiver.ts'), { serialization: 'advanced' });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const ask = async (message: string): Promise<unknown> => {
    child.send(message);
    return (await once(child, 'message'))[0];
  };
  return {
    port,
    process: child,
    reset: async () => void (await ask('reset')),
    count: async () => (await ask('count')) as number,
    stats: async () => (await ask('stats')) as ReceiverStats,
    [Symbol.asyncDispose]: async () => {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
