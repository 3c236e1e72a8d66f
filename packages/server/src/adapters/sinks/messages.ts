import type { OutgoingEvent, SinkFailureReason } from '../../ports/event-sink.ts';
import type { KafkaOptions } from './kafka/options.ts';
import type { NatsOptions } from './nats/options.ts';

/** What a sink's thread is started with. */
export type Broker =
  | { readonly kind: 'nats'; readonly options: NatsOptions }
  | { readonly kind: 'kafka'; readonly options: KafkaOptions };

export type SinkOrder =
  | { readonly id: number; readonly events: readonly OutgoingEvent[] }
  /** The last one. */
  | 'close';

/** An error loses its class on its way between threads. */
export interface SentFailure {
  readonly reason: SinkFailureReason;
  readonly message: string;
}

export interface SinkReply {
  readonly id: number;
  readonly outcomes: readonly (SentFailure | 'published' | 'held')[];
}
