/** How Kafka's brokers are reached, and where events go. */
export interface KafkaOptions {
  /** `host:port` of some brokers; they tell of the others. */
  readonly brokers: readonly string[];
  /** With `{spaceId}`. */
  readonly topic: string;
  /**
   * What a record's key is made of, by which Kafka chooses its partition and so what it keeps in order: space,
   * source and subject, or space, source and id.
   */
  readonly key: 'subject' | 'event';
  readonly tls: boolean;
  /** Null: nobody signs in. */
  readonly sasl: {
    readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512';
    readonly user: string;
    readonly password: string;
  } | null;
}
