import { parentPort } from 'node:worker_threads';
import type { ThreadMessage } from './read-thread.ts';

/** A gate that the test opens. 0 means closed. */
export type Gate = Int32Array<SharedArrayBuffer>;

let finished = 0;
/** For each request, waits until the gate is open and returns the number of finished requests. */
parentPort?.on('message', (message: ThreadMessage<Gate>) => {
  if (message.kind !== 'start') return;
  const gate = message.request;
  Atomics.wait(gate, 0, 0);
  finished += 1;
  parentPort?.postMessage({ ok: true, result: finished, ms: 1, isShared: false });
});
