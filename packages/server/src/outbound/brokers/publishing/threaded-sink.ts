import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import {
  type EventSink,
  type Outcome,
  SinkFailure,
  type SinkFailureReason,
} from '../event-sink.ts';
import type { KafkaOptions } from '../kafka/index.ts';
import type { NatsOptions } from '../nats/index.ts';

export type Broker =
  | { readonly kind: 'nats'; readonly options: NatsOptions }
  | { readonly kind: 'kafka'; readonly options: KafkaOptions };

export type SinkRequest =
  | { readonly id: number; readonly spaceId: string; readonly texts: readonly string[] }
  | 'close';

export interface SinkResponse {
  readonly id: number;
  readonly outcomes: ClonedOutcomes;
}

/** Outcomes as a structured clone, which does not preserve error classes. `published` means that all events were published. */
export type ClonedOutcomes = 'published' | readonly (Exclude<Outcome, Error> | ClonedFailure)[];

interface ClonedFailure {
  readonly reason: SinkFailureReason;
  readonly message: string;
}

/** Exit code of a thread that received more from the broker than it may store. */
export const EXIT_OUT_OF_MEMORY = 12;
const MAX_HEAP_MEGABYTES = 256;
const CLOSE_TIMEOUT_MS = 2_000;

interface PendingRequest {
  readonly count: number;
  readonly promise: Promise<readonly Outcome[]>;
  readonly resolve: (outcomes: readonly Outcome[]) => void;
}

/**
 * Creates a sink in a worker thread because client libraries may throw uncaught exceptions. The thread starts when the
 * first events are published. If the thread crashes or exceeds its memory limit, its events in flight fail and the next call starts a new thread.
 */
export function createThreadedSink(broker: Broker): EventSink {
  const pending = new Map<number, PendingRequest>();
  let worker: Worker | null = null;
  let lastId = 0;
  let closed = false;

  function failAll(message: string): void {
    const failure = new SinkFailure('unreachable', message);
    for (const { count, resolve } of pending.values())
      resolve(new Array<Outcome>(count).fill(failure));
    pending.clear();
  }

  function startThread(): Worker {
    const started = new Worker(new URL('./sink-thread.ts', import.meta.url), {
      name: `sink-${broker.kind}`,
      workerData: broker,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MEGABYTES },
      // Keep the output of libraries out of the log.
      stdout: true,
      stderr: true,
    });
    started.stdout.resume();
    started.stderr.resume();
    const ended = (problem: string) => {
      if (worker !== started) return;
      worker = null;
      failAll(`the ${broker.kind} client ${problem}`);
    };
    started.on('message', (response: SinkResponse) => settle(response));
    started.on('error', () => ended('crashed'));
    started.on('exit', (code) =>
      ended(code === EXIT_OUT_OF_MEMORY ? 'exceeded its memory limit' : 'crashed'),
    );
    return started;
  }

  function settle({ id, outcomes }: SinkResponse): void {
    const request = pending.get(id);
    pending.delete(id);
    request?.resolve(toOutcomes(outcomes, request.count));
  }

  return {
    publish: (spaceId, texts) => {
      const id = ++lastId;
      const request = Promise.withResolvers<readonly Outcome[]>();
      pending.set(id, { ...request, count: texts.length });
      if (closed) failAll('the sink is closed');
      else {
        worker ??= startThread();
        worker.postMessage({ id, spaceId, texts } satisfies SinkRequest);
      }
      return request.promise;
    },
    close: async () => {
      closed = true;
      if (worker === null) return;
      const limit = sleep(CLOSE_TIMEOUT_MS, null, { ref: false });
      await Promise.race([limit, Promise.all([...pending.values()].map(({ promise }) => promise))]);
      failAll('the sink is closed');
      const ending: Worker | null = worker;
      if (ending === null) return;
      const exited = once(ending, 'exit');
      ending.postMessage('close' satisfies SinkRequest);
      await Promise.race([limit, exited]);
      await ending.terminate();
    },
  };
}

function toOutcomes(outcomes: ClonedOutcomes, count: number): readonly Outcome[] {
  if (outcomes === 'published') return new Array<Outcome>(count).fill(outcomes);
  return outcomes.map((outcome) =>
    typeof outcome === 'string' ? outcome : new SinkFailure(outcome.reason, outcome.message),
  );
}
