import { ConnectionError, InvalidResponseError, TimeoutError } from '../errors.ts';
import type { StreamOptions } from '../options.ts';
import { startTimer } from './timer.ts';

const IDLE_TIMEOUT_MS = 45_000;
/** A longer delay would exceed the limit of timers, which then end at once. */
const MAX_RETRY_MS = 3_600_000;

/** A message of server-sent events (https://html.spec.whatwg.org/#parsing-an-event-stream). */
export interface Message {
  /** Cursor of the message. `undefined`: unchanged. */
  readonly id: string | undefined;
  /** `undefined` for a message without data, which only sets the cursor or the delay. */
  readonly data: string | undefined;
  /** Delay in milliseconds before the client reconnects, at most an hour. `undefined` if it is not a whole number. */
  readonly retry: number | undefined;
}

/**
 * Reads the messages of a response. A message that the connection cuts off is dropped.
 *
 * @throws {InvalidResponseError} if the response has another media type, such as the page of a proxy.
 */
export async function* readMessages(
  { body, headers }: Response,
  { signal, idleTimeout = IDLE_TIMEOUT_MS }: StreamOptions = {},
): AsyncGenerator<Message, void, undefined> {
  if (body === null) return;
  if (!/^text\/event-stream\b/i.test(headers.get('content-type') ?? '')) {
    body.cancel().catch(() => {});
    throw new InvalidResponseError(
      'The response is not a stream of events. Check the URL of the service.',
    );
  }
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let fields: Record<string, string | undefined> = {};
  try {
    for (;;) {
      const { done, value } = await within(idleTimeout, read(reader, signal));
      if (done) return;
      const piece = decoder.decode(value, { stream: true });
      const hasBreak = rest.endsWith('\r') || /[\r\n]/.test(piece);
      rest += piece;
      // A long line in many pieces is searched only once.
      if (!hasBreak) continue;
      // A carriage return at the end may be the first half of a line break.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line === '') {
          const { id, data, retry } = fields;
          fields = {};
          yield { id, data, retry: delayOf(retry) };
        } else {
          const [, name = '', text = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
          const before = name === 'data' ? fields[name] : undefined;
          fields[name] = before === undefined ? text : `${before}\n${text}`;
        }
      }
    }
  } finally {
    // Cancels the request if the reader stops early. Rejects if the connection is broken already.
    reader.cancel().catch(() => {});
  }
}

function delayOf(retry: string | undefined): number | undefined {
  return retry !== undefined && /^\d+$/.test(retry)
    ? Math.min(Number(retry), MAX_RETRY_MS)
    : undefined;
}

async function read(reader: ReadableStreamDefaultReader<Uint8Array>, signal?: AbortSignal) {
  try {
    return await reader.read();
  } catch (cause) {
    signal?.throwIfAborted();
    throw new ConnectionError('The connection broke in the middle of a stream.', { cause });
  }
}

/** Parses the data of a message. */
export function parseData<T>(data: string): T {
  try {
    return JSON.parse(data);
  } catch {
    throw new InvalidResponseError('A message of the stream is not JSON.');
  }
}

async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = startTimer(() => {
      reject(new TimeoutError(`The stream was silent for ${milliseconds} ms.`));
    }, milliseconds);
  });
  try {
    return await Promise.race([promise, expired]);
  } finally {
    clearTimeout(timer);
  }
}
