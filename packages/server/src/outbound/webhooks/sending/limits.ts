export interface SendLimits {
  /** From the beginning of an attempt to the end of the answer. */
  readonly attemptMs: number;
  readonly connectMs: number;
  /** Connections to one target. */
  readonly connections: number;
  /** How long a connection is used, so that a host name which moves is followed. */
  readonly connectionMs: number;
  /** What is read of an answer's body, so that its connection can be used again; with more it is closed. */
  readonly answerBytes: number;
}

export const LIMITS: SendLimits = {
  attemptMs: 15_000,
  connectMs: 10_000,
  connections: 64,
  connectionMs: 600_000,
  answerBytes: 64 * 1024,
};
