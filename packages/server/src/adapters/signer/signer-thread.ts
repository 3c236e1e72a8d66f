import { type KeyObject, sign } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';

const { key } = workerData as { key: KeyObject };

parentPort?.on('message', (texts: readonly string[]) => {
  parentPort?.postMessage(
    texts.map((text) => sign(null, Buffer.from(text), key).toString('base64url')),
  );
});
