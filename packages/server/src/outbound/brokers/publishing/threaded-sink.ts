import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type EventSink, type Outcome, SinkFailure } from '../event-sink.ts';
import type { Broker, SentOutcomes, SinkOrder, SinkReply } from './messages.ts';

/** What is under way when a sink is closed may take this long to be acknowledged. */
const CLOSE_WITHIN_MS = 2_000;

interface Waiting {
  readonly count: number;
  readonly promise: Promise<readonly Outcome[]>;
  readonly resolve: (outcomes: readonly Outcome[]) => void;
}

/** A sink in a thread of its own, which starts with the first events, and again with the next ones after it broke. */
export function createThreadedSink(broker: Broker): EventSink {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let lastId = 0;
  let closed = false;

  function failAll(message: string): void {
    const failure = new SinkFailure('unreachable', message);
    for (const { count, resolve } of waiting.values())
      resolve(new Array<Outcome>(count).fill(failure));
    waiting.clear();
  }

  function startThread(): Worker {
    const started = new Worker(new URL('./sink-thread.ts', import.meta.url), {
      name: `sink-${broker.kind}`,
      workerData: broker,
      // Libraries print there; the log has lines of ours alone.
      stdout: true,
      stderr: true,
    });
    started.stdout.resume();
    started.stderr.resume();
    const ended = () => {
      if (worker !== started) return;
      worker = null;
      failAll(`the client of ${broker.kind} broke down`);
    };
    started.on('message', (reply: SinkReply) => settle(reply));
    started.on('error', ended);
    started.on('exit', ended);
    return started;
  }

  function settle({ id, outcomes }: SinkReply): void {
    const asked = waiting.get(id);
    waiting.delete(id);
    asked?.resolve(toOutcomes(outcomes, asked.count));
  }

  return {
    publish: (spaceId, texts) => {
      const id = ++lastId;
      const asked = Promise.withResolvers<readonly Outcome[]>();
      waiting.set(id, { ...asked, count: texts.length });
      if (closed) failAll('the sink is closed');
      else {
        worker ??= startThread();
        worker.postMessage({ id, spaceId, texts } satisfies SinkOrder);
      }
      return asked.promise;
    },
    close: async () => {
      closed = true;
      if (worker === null) return;
      const limit = sleep(CLOSE_WITHIN_MS, null, { ref: false });
      await Promise.race([limit, Promise.all([...waiting.values()].map(({ promise }) => promise))]);
      failAll('the sink is closed');
      const ending: Worker | null = worker;
      if (ending === null) return;
      const exited = once(ending, 'exit');
      ending.postMessage('close' satisfies SinkOrder);
      await Promise.race([limit, exited]);
      await ending.terminate();
    },
  };
}

function toOutcomes(sent: SentOutcomes, count: number): readonly Outcome[] {
  if (sent === 'published') return new Array<Outcome>(count).fill(sent);
  return sent.map((outcome) =>
    typeof outcome === 'string' ? outcome : new SinkFailure(outcome.reason, outcome.message),
  );
}
