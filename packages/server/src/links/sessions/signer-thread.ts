import { type KeyObject, sign } from 'node:crypto';
import { parentPort } from 'node:worker_threads';

/** Texts for one key; without a key it is the one of the message before. */
export interface ToSign {
  readonly key: KeyObject | null;
  readonly texts: readonly string[];
}

let current: KeyObject | null = null;

parentPort?.on('message', ({ key, texts }: ToSign) => {
  current = key ?? current;
  const signing = current;
  if (signing === null) throw new Error('the first message has a key');
  parentPort?.postMessage(
    texts.map((text) => sign(null, Buffer.from(text), signing).toString('base64url')),
  );
});
