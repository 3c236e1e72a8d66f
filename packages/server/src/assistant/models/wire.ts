import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { AnswerFailure } from '../answerer.ts';
import { failureOfStatus } from './failure.ts';
import { FrameJoiner } from './join-frames.ts';
import type { Pace } from './pace.ts';

/** What of the body of a refusal is read. */
const MOST_OF_REFUSAL = 16 * 1024;
/** A connection that was kept open may be closed by the other side at the moment it is used again. */
const CLOSED_MEANWHILE = new Set(['ECONNRESET', 'EPIPE']);
const NO_STREAM = /^\s*(?:text\/html|application\/json)\b/i;

/** The SDK's way to the model's server during one answer. */
export interface Wire {
  readonly fetch: typeof fetch;
  /** What went wrong on the way, once something did: the SDK says it less clearly. */
  failure(): AnswerFailure | null;
}

/**
 * Lets the SDK have streams and nothing else: what is no success becomes an `AnswerFailure` before the SDK
 * keeps the body of a refusal in its errors, redirections are not followed with the key, no more bytes come
 * than one answer may have, and not faster than the process can take them.
 */
export function createWire(maxBytes: number, pace: Pace): Wire {
  let failure: AnswerFailure | null = null;
  let left = maxBytes;
  const fail = (next: AnswerFailure): AnswerFailure => {
    failure ??= next;
    return failure;
  };
  return {
    failure: () => failure,
    fetch: async (input, init) => {
      const answer = await connect(String(input), init).catch((error) => {
        throw init?.signal?.aborted ? error : fail(unreachable(error));
      });
      const { statusCode: status = 0, headers } = answer;
      if (status < 200 || status > 299)
        throw fail(failureOfStatus(status, await beginning(answer)));
      if (NO_STREAM.test(headers['content-type'] ?? '')) {
        answer.destroy();
        throw fail(new AnswerFailure('garbage', 'no event stream'));
      }
      const body = watched(answer, pace, {
        arrived: (length) => {
          left -= length;
          if (left < 0) throw fail(new AnswerFailure('too-long', `more than ${maxBytes} bytes`));
        },
        lost: () => {
          if (init?.signal?.aborted !== true) fail(new AnswerFailure('broken', 'connection lost'));
        },
      });
      return new Response(body, { status });
    },
  };
}

type Init = Parameters<typeof fetch>[1];

async function connect(url: string, init: Init): Promise<IncomingMessage> {
  try {
    return await post(url, init);
  } catch (error) {
    if (init?.signal?.aborted || !CLOSED_MEANWHILE.has(codeOf(error))) throw error;
    return await post(url, init);
  }
}

function post(url: string, init: Init): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const send = url.startsWith('https:') ? httpsRequest : httpRequest;
  send(url, {
    method: 'POST',
    headers: Object.fromEntries(new Headers(init?.headers)),
    signal: init?.signal ?? undefined,
  })
    .once('response', resolve)
    // More than once: what breaks after the answer began is reported by both.
    .on('error', reject)
    .end(init?.body);
  return promise;
}

function unreachable(error: unknown): AnswerFailure {
  const code = codeOf(error);
  return new AnswerFailure('unreachable', /^[A-Z_]{1,40}$/.test(code) ? code : 'no connection');
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? '');
}

async function beginning(answer: IncomingMessage): Promise<string> {
  let text = '';
  try {
    for await (const piece of answer.setEncoding('utf8')) {
      text += piece;
      if (text.length > MOST_OF_REFUSAL) break;
    }
  } catch {
    // The status alone says enough.
  }
  return text;
}

interface Watcher {
  /** Bytes came; throws when they are too many. */
  readonly arrived: (length: number) => void;
  /** No more can come, though the end had not come. */
  readonly lost: () => void;
}

function watched(
  body: IncomingMessage,
  pace: Pace,
  { arrived, lost }: Watcher,
): ReadableStream<Uint8Array> {
  const joiner = new FrameJoiner();
  const pieces = body.iterator() as AsyncIterableIterator<Buffer>;
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next().catch((error) => {
        lost();
        throw error;
      });
      if (done) return controller.close();
      const bytes = withAllThatCame(value, body);
      try {
        arrived(bytes.byteLength);
      } catch (error) {
        // The connection ends with it.
        body.destroy();
        throw error;
      }
      controller.enqueue(joiner.join(bytes));
      const { pauseMs } = pace;
      if (pauseMs > 0) await sleep(pauseMs);
    },
    cancel: () => void body.destroy(),
  });
}

/** A stream gives what came in the pieces in which it came. */
function withAllThatCame(first: Buffer, body: IncomingMessage): Buffer {
  const pieces = [first];
  for (;;) {
    const piece: Buffer | null = body.read();
    if (piece === null) break;
    pieces.push(piece);
  }
  return pieces.length === 1 ? first : Buffer.concat(pieces);
}
