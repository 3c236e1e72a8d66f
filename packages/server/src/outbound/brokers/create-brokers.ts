import type { Metrics } from '../../platform/metrics/index.ts';
import type { Consumer, Consumers } from '../../streams/consumers/index.ts';
import { type EventSink, SinkFailure } from './event-sink.ts';
import { Publisher } from './publishing/publisher.service.ts';
import { type CountSinks, countSinks } from './publishing/sink.metrics.ts';
import { SinkHealth } from './publishing/sink-health.ts';

export interface SinkLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface BrokersDeps {
  /** Sinks by name. The names identify their stored cursors. The module closes the sinks. */
  readonly sinks: ReadonlyMap<string, EventSink>;
  readonly consumers: Consumers;
  /** Start position of a sink without a stored cursor. */
  readonly startsAt: 'beginning' | 'newest';
  readonly tooLarge: 'hold' | 'skip';
  readonly metrics: Metrics;
  readonly log: SinkLog;
}

export interface BrokersModule extends AsyncDisposable {
  start(): Promise<void>;
  removeSpace(spaceId: string): void;
}

const PAGE_SIZE = 500;
const CONCURRENT_SPACES = 4;
/** Maximum time until a recovered broker is detected. */
const MAX_RETRY_MS = 5_000;

export function createBrokers(deps: BrokersDeps): BrokersModule {
  const { sinks, metrics } = deps;
  if (sinks.size === 0) return NO_SINKS;
  const lagsOf = async ([name, { consumer }]: [string, { consumer: Consumer }]) =>
    [name, (await consumer.lags()).values().reduce((sum, lag) => sum + lag, 0)] as const;
  const count = countSinks(
    metrics,
    async () => new Map(await Promise.all([...running].map(lagsOf))),
  );
  const running = new Map(
    [...sinks].map(([name, sink]) => [name, createSinkConsumer(deps, name, sink, count)]),
  );
  return {
    start: async () => {
      for (const { consumer } of running.values()) await consumer.start();
    },
    removeSpace: (spaceId) => {
      for (const sink of running.values()) sink.removeSpace(spaceId);
    },
    [Symbol.asyncDispose]: async () => {
      // `consumer.close` waits for the consumer's pending page. Closing the sink ends that page.
      const closing = [...running].flatMap(([name, { consumer }]) => [
        consumer.close(),
        sinks.get(name)?.close(),
      ]);
      await Promise.all(closing);
    },
  };
}

const NO_SINKS: BrokersModule = {
  start: async () => {},
  removeSpace: () => {},
  [Symbol.asyncDispose]: async () => {},
};

function createSinkConsumer(deps: BrokersDeps, name: string, sink: EventSink, count: CountSinks) {
  const { consumers, startsAt, tooLarge, log } = deps;
  const health = new SinkHealth({
    onFailing: ({ reason, message }, spaceId) =>
      log.warn(
        { sink: name, reason, ...(reason === 'too-large' ? { spaceId } : {}) },
        `events for a sink are delayed: ${message}`,
      ),
    onRecovered: () => log.info({ sink: name }, 'a sink has recovered'),
  });
  const publisher = new Publisher({
    sink,
    tooLarge,
    onPublished: (events) => count.published(name, events),
    onSkipped: (spaceId, { position, text }) => {
      count.skipped(name, 1);
      log.error(
        { sink: name, spaceId, position, bytes: Buffer.byteLength(text) },
        'an event was skipped because it exceeds the size limit of the broker',
      );
    },
  });
  const consumer = consumers({
    name: `sink.${name}`,
    startsAt,
    pageSize: PAGE_SIZE,
    spacesAtOnce: CONCURRENT_SPACES,
    longestPauseMs: MAX_RETRY_MS,
    handle: async (spaceId, events) => {
      await publisher.publish(spaceId, events);
      health.onSuccess(spaceId);
    },
    onFailure: (error, spaceId, failures) => {
      const isFailure = error instanceof SinkFailure;
      count.failed(name, isFailure ? error.reason : 'internal');
      if (isFailure) health.onFailure(spaceId, error);
      else if (failures === 1)
        log.error({ sink: name, err: error }, 'reading events for a sink failed');
    },
  });
  return {
    consumer,
    removeSpace: (spaceId: string) => {
      publisher.removeSpace(spaceId);
      health.onSuccess(spaceId);
    },
  };
}
