import type { KeyObject } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { ToSign } from './signer-thread.ts';

/** Signs with Ed25519 (RFC 8032). */
export interface Signer {
  /** The signature of the text's UTF-8 bytes, base64url. */
  sign(text: string, key: KeyObject): Promise<string>;
}

interface Waiting {
  readonly key: KeyObject;
  readonly text: string;
  readonly resolve: (signature: string) => void;
  readonly reject: (error: Error) => void;
}

/** Texts that go to the thread together, and how many such batches it is sent ahead. */
const MAX_BATCH = 8;
const MAX_SENT = 2;

/**
 * Signs in a thread of its own, many at a time: a signature takes 40 µs, as long as all else that a
 * request costs. What arrives while the thread is busy goes to it together, so that it is woken
 * once for many; node's thread pool wakes a thread for each, which costs the event loop 15 µs more.
 * The thread starts with the first signature.
 */
export function createSigner(): Signer & AsyncDisposable {
  let worker: Worker | null = null;
  let waiting: Waiting[] = [];
  let sent: (readonly Waiting[])[] = [];
  /** The key that the thread has; a key is changed a few times a year, and sending it is dear. */
  let threadKey: KeyObject | null = null;
  let scheduled = false;

  function sendWaiting(): void {
    while (sent.length < MAX_SENT && waiting.length > 0) {
      const key = waiting[0]?.key ?? null;
      const others = waiting.findIndex((one) => one.key !== key);
      const batch = waiting.splice(0, Math.min(others === -1 ? MAX_BATCH : others, MAX_BATCH));
      sent.push(batch);
      worker ??= startThread();
      const texts = batch.map(({ text }) => text);
      worker.postMessage({ key: key === threadKey ? null : key, texts } satisfies ToSign);
      threadKey = key;
    }
  }

  function startThread(): Worker {
    const started = new Worker(new URL('./signer-thread.ts', import.meta.url), {
      name: 'signer',
    });
    started.on('message', (signatures: readonly string[]) => {
      const signed = sent.shift() ?? [];
      for (const [index, { resolve }] of signed.entries()) resolve(signatures[index] ?? '');
      sendWaiting();
    });
    started.on('error', (error) => fail(error as Error));
    // It must not keep a process alive that has nothing else to do.
    started.unref();
    return started;
  }

  /** The next signature starts a new thread. */
  function fail(error: Error): void {
    const lost = [...sent.flat(), ...waiting];
    [sent, waiting, worker, threadKey] = [[], [], null, null];
    for (const { reject } of lost) reject(error);
  }

  return {
    sign: (text, key) =>
      new Promise((resolve, reject) => {
        waiting.push({ key, text, resolve, reject });
        if (scheduled) return;
        scheduled = true;
        setImmediate(() => {
          scheduled = false;
          sendWaiting();
        });
      }),
    [Symbol.asyncDispose]: async () => {
      await worker?.terminate();
    },
  };
}
