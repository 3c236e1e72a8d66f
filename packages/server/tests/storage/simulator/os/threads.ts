/** Replaces `node:worker_threads` in the simulated process. Threads run as tasks of the scheduler. */
import { EventEmitter } from 'node:events';
import { scheduler } from './scheduler.ts';

/** Set while the script of a thread starts. */
export let parentPort: Port | null = null;
export let workerData: unknown;
export const isMainThread = true;
export const threadId = 0;

interface Options {
  readonly name: string;
  readonly workerData: unknown;
}

class Port extends EventEmitter {
  readonly #worker: Worker;
  /** Messages that the thread has not received yet. */
  readonly received: unknown[] = [];

  constructor(worker: Worker) {
    super();
    this.#worker = worker;
  }

  postMessage(message: unknown): void {
    this.#worker.toParent(structuredClone(message));
  }

  close(): void {}
}

/** Takes the next message of a thread, like the function of Node. */
export function receiveMessageOnPort(port: Port): { message: unknown } | undefined {
  return port.received.length === 0 ? undefined : { message: port.received.shift() };
}

/** The scripts of all threads, by URL. `hooks.ts` converts each script to a function. */
const scripts = new Map<string, () => void>();

export async function loadThread(url: URL): Promise<void> {
  const { run } = (await import(url.href)) as { run: () => void };
  scripts.set(url.href, run);
}

/** A simulated thread. Its number of the process run makes messages of an ended process ineffective. */
export class Worker extends EventEmitter {
  static run = 0;
  readonly #run = Worker.run;
  readonly #port = new Port(this);
  #isEnded = false;

  constructor(url: URL, { workerData: data }: Options) {
    super();
    const script = scripts.get(url.href);
    if (script === undefined) throw new Error(`load the thread ${url.href} first`);
    scheduler.add(this, () => {
      parentPort = this.#port;
      workerData = structuredClone(data);
      this.#guard(script);
      parentPort = null;
    });
  }

  postMessage(message: unknown, transfer: ArrayBuffer[] = []): void {
    const copy = structuredClone(message, { transfer });
    if (this.#run !== Worker.run || this.#isEnded) return;
    scheduler.add(this, () => this.#guard(() => this.#deliver()));
    this.#port.received.push(copy);
  }

  /** Delivers a message of the thread. */
  toParent(message: unknown): void {
    if (this.#run !== Worker.run) return;
    scheduler.add(this.#port, () => {
      if (this.#run === Worker.run && !this.#isEnded) this.emit('message', message);
    });
  }

  /** Delivers the next message to the thread, unless `receiveMessageOnPort` has taken all of them. */
  #deliver(): void {
    const { received } = this.#port;
    if (received.length > 0) this.#port.emit('message', received.shift());
  }

  async terminate(): Promise<number> {
    this.#isEnded = true;
    return 0;
  }

  ref(): void {}
  unref(): void {}

  #guard(run: () => void): void {
    if (this.#run !== Worker.run || this.#isEnded) return;
    try {
      run();
    } catch (error) {
      this.#isEnded = true;
      scheduler.add(this.#port, () => this.emit('error', error));
    }
  }
}
