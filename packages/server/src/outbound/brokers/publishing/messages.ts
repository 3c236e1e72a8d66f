import type { Outcome, SinkFailureReason } from '../event-sink.ts';
import type { KafkaOptions } from '../kafka/options.ts';
import type { NatsOptions } from '../nats/options.ts';

/** What a sink's thread is started with. */
export type Broker =
  | { readonly kind: 'nats'; readonly options: NatsOptions }
  | { readonly kind: 'kafka'; readonly options: KafkaOptions };

export type SinkOrder =
  | { readonly id: number; readonly spaceId: string; readonly texts: readonly string[] }
  /** The last one. */
  | 'close';

export interface SinkReply {
  readonly id: number;
  readonly outcomes: SentOutcomes;
}

/** An error loses its class on its way between threads. */
export interface SentFailure {
  readonly reason: SinkFailureReason;
  readonly message: string;
}

/** All of them published, as it mostly is, or what became of each. */
export type SentOutcomes = 'published' | readonly (Exclude<Outcome, Error> | SentFailure)[];
