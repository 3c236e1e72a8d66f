import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { AnswerFailure } from '../answerer.ts';
import { failureOfStatus } from './failure.ts';
import { FrameJoiner } from './join-frames.ts';
import type { Pace } from './pace.ts';

/** Bytes of the body of an error response that are read. */
const MAX_ERROR_BYTES = 16 * 1024;
/** The server may close a kept-alive connection at the moment it is reused. */
const CLOSED = new Set(['ECONNRESET', 'EPIPE']);
const NO_STREAM = /^\s*(?:text\/html|application\/json)\b/i;

/**
 * Returns a `fetch` for the SDK that accepts event streams only. Anything else becomes an `AnswerFailure` before the SDK
 * stores the response body in an error. It does not follow redirects, because the key would go along, reads at most
 * `maxBytes` of a response, and slows down when the event loop is busy. It uses `node:http`, which takes less CPU and
 * memory per stream than the built-in `fetch`.
 */
export function createModelFetch(maxBytes: number, pace: Pace): typeof fetch {
  return async (input, init) => {
    const response = await connect(String(input), init).catch((error) => {
      throw init?.signal?.aborted ? error : unreachable(error);
    });
    const { statusCode: status = 0, headers } = response;
    if (status < 200 || status > 299) throw failureOfStatus(status, await beginningOf(response));
    if (NO_STREAM.test(headers['content-type'] ?? '')) {
      response.destroy();
      throw new AnswerFailure('garbage', 'no event stream');
    }
    return new Response(bodyOf(response, maxBytes, pace), { status });
  };
}

type Init = Parameters<typeof fetch>[1];

/** Sends a request, and once more if the connection closes before the response. */
async function connect(url: string, init: Init): Promise<IncomingMessage> {
  try {
    return await post(url, init);
  } catch (error) {
    if (init?.signal?.aborted || !CLOSED.has(codeOf(error))) throw error;
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
    // Not `once`: an error after the response has begun is reported here too.
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

async function beginningOf(response: IncomingMessage): Promise<string> {
  let text = '';
  try {
    for await (const piece of response.setEncoding('utf8')) {
      text += piece;
      if (text.length > MAX_ERROR_BYTES) break;
    }
  } catch {
    // The status alone is enough.
  }
  return text;
}

function bodyOf(
  response: IncomingMessage,
  maxBytes: number,
  pace: Pace,
): ReadableStream<Uint8Array> {
  const joiner = new FrameJoiner();
  const pieces = response.iterator() as AsyncIterableIterator<Buffer>;
  let left = maxBytes;
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next().catch(() => {
        throw new AnswerFailure('broken', 'connection lost');
      });
      if (done) return controller.close();
      const bytes = withBuffered(value, response);
      left -= bytes.byteLength;
      if (left < 0) {
        response.destroy();
        throw new AnswerFailure('too-long', `more than ${maxBytes} bytes`);
      }
      controller.enqueue(joiner.join(bytes));
      const { pauseMs } = pace;
      if (pauseMs > 0) await sleep(pauseMs);
    },
    cancel: () => void response.destroy(),
  });
}

/** Returns `first` with all bytes that have arrived after it. */
function withBuffered(first: Buffer, response: IncomingMessage): Buffer {
  const pieces = [first];
  for (;;) {
    const piece: Buffer | null = response.read();
    if (piece === null) break;
    pieces.push(piece);
  }
  return pieces.length === 1 ? first : Buffer.concat(pieces);
}
