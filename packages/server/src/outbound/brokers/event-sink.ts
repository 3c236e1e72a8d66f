/**
 * What became of an event: the broker has it for good; it was not tried, because one that must stand before it
 * failed, or the broker is away; or why it failed.
 */
export type Outcome = 'published' | 'held' | SinkFailure;

/** A broker to which accepted events go on. */
export interface EventSink {
  /**
   * Publishes events of one space, given by their JSON texts as they were sent, and says of each what became of it,
   * in their order, when it knows that of all. Events of one (source, subject) come to stand at the broker in the
   * order given here. Never rejects, and ends in bounded time. An event that failed may be there all the same, and
   * publishing it again may put it there twice; it bears the same identity then.
   */
  publish(spaceId: string, texts: readonly string[]): Promise<readonly Outcome[]>;
  /** Waits shortly for what is under way, and ends it. */
  close(): Promise<void>;
}

/**
 * - `unreachable`: there is no connection, or no answer.
 * - `unauthorized`: the credentials are wrong, or allow too little.
 * - `refused`: the broker does not take events as things stand: it has no such stream or topic, or no room.
 * - `too-large`: this event is larger than the broker takes.
 */
export type SinkFailureReason = 'unreachable' | 'unauthorized' | 'refused' | 'too-large';

/** An event was not published. The message is a sentence for the operator and holds neither secrets nor event data. */
export class SinkFailure extends Error {
  override readonly name = 'SinkFailure';
  readonly reason: SinkFailureReason;

  constructor(reason: SinkFailureReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
