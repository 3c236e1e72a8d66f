import { type KeyObject, sign } from 'node:crypto';
import { parentPort } from 'node:worker_threads';

export interface ToSign {
  /** `null`: use the key of the previous message. */
  readonly key: KeyObject | null;
  readonly texts: readonly string[];
}

let current: KeyObject | null = null;

parentPort?.on('message', ({ key, texts }: ToSign) => {
  current = key ?? current;
  const signing = current;
  if (signing === null) throw new Error('The first message to the signer thread has no key.');
  parentPort?.postMessage(
    texts.map((text) => sign(null, Buffer.from(text), signing).toString('base64url')),
  );
});
