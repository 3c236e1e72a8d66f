import { parentPort } from 'node:worker_threads';

/** Opened by the test: 0 is closed. */
export type Gate = Int32Array<SharedArrayBuffer>;

let answered = 0;
/** Answers each question when its gate is open, with how many it has answered. */
parentPort?.on('message', (gate: Gate) => {
  Atomics.wait(gate, 0, 0);
  answered += 1;
  parentPort?.postMessage({ ok: true, answer: answered });
});
