import type { DeliveryAttempt } from '@gatehouse/contract';

/** One attempt to send a delivery, as it is stored. */
export interface Attempt {
  /** Start of the attempt in Unix milliseconds. */
  readonly at: number;
  readonly status: number | null;
  readonly durationMs: number;
  /** Reason for the failure. `null`: the target answered with a 2xx status. */
  readonly failure: string | null;
  /** The start of the response body, encrypted. `null`: no body, or dropped to limit the size of the log. */
  readonly response: string | null;
}

export const MAX_ATTEMPTS = 20;
/** Maximum size of the responses of one log, in characters. */
const MAX_RESPONSES = 16 * 1024;

/** Returns the log with a further attempt. Drops the oldest attempts and the oldest responses above the limits. */
export function withAttempt(log: readonly Attempt[], attempt: Attempt): readonly Attempt[] {
  const attempts = [...log, attempt].slice(-MAX_ATTEMPTS);
  let room = MAX_RESPONSES;
  for (let index = attempts.length - 1; index >= 0; index -= 1) {
    const { response, ...rest } = attempts[index] as Attempt;
    room -= response?.length ?? 0;
    if (room < 0) attempts[index] = { ...rest, response: null };
  }
  return attempts;
}

export function toText(log: readonly Attempt[]): string {
  return JSON.stringify(log);
}

export function fromText(text: string): readonly Attempt[] {
  return JSON.parse(text) as readonly Attempt[];
}

/**
 * @param open decrypts a response. `null`: the caller may not see responses.
 */
export function formatAttempts(
  text: string,
  open: ((sealed: string) => string | null) | null,
): DeliveryAttempt[] {
  return fromText(text).map(({ at, status, durationMs, failure, response }) => ({
    at: new Date(at).toISOString(),
    status,
    durationMs,
    failure,
    ...(open === null ? {} : { response: response === null ? null : open(response) }),
  }));
}
