import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { outgoingHeaders } from '../../platform/traces/index.ts';
import { AnswerFailure } from '../answerer.ts';
import { failureOfStatus } from './failure.ts';
import { FrameJoiner } from './join-frames.ts';
import type { Pace } from './pace.ts';
import { EventRepairer } from './repair-events.ts';

/** Maximum bytes to read of an error response. */
const MAX_ERROR_BYTES = 16 * 1024;
/** Error codes of a connection that the server closes just as the connection is reused. */
const CLOSED = new Set(['ECONNRESET', 'EPIPE']);
const NO_STREAM = /^\s*(?:text\/html|application\/json)\b/i;

/**
 * Returns a `fetch` for the SDK that accepts only event streams. Throws an `AnswerFailure` for any other response, before the
 * SDK can put the response body into an error. Does not follow redirects, which would send the key to another server. Reads at
 * most `maxBytes` of a response. Reads more slowly while the event loop is busy. Uses `node:http`, which needs less CPU and
 * memory per stream than the built-in `fetch`.
 */
export function createModelFetch(maxBytes: number, pace: Pace): typeof fetch {
  return async (input, init) => {
    const response = await connect(String(input), init).catch((error) => {
      throw init?.signal?.aborted ? error : unreachable(error);
    });
    const { statusCode: status = 0, headers } = response;
    if (status < 200 || status > 299) throw failureOfStatus(status, await startOf(response));
    if (NO_STREAM.test(headers['content-type'] ?? '')) {
      response.destroy();
      throw new AnswerFailure('garbage', 'no event stream');
    }
    return new Response(bodyOf(response, maxBytes, pace), { status });
  };
}

type Init = Parameters<typeof fetch>[1];

/** Sends a request. Retries once if the connection closes before the response. */
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
    headers: { ...Object.fromEntries(new Headers(init?.headers)), ...outgoingHeaders({}) },
    signal: init?.signal ?? undefined,
  })
    .once('response', resolve)
    // Not `once`, because errors after the start of the response are also reported here.
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

async function startOf(response: IncomingMessage): Promise<string> {
  let text = '';
  try {
    for await (const piece of response.setEncoding('utf8')) {
      text += piece;
      if (text.length > MAX_ERROR_BYTES) break;
    }
  } catch {
    // The status is sufficient without the body.
  }
  return text;
}

function bodyOf(
  response: IncomingMessage,
  maxBytes: number,
  pace: Pace,
): ReadableStream<Uint8Array> {
  const repairer = new EventRepairer();
  const joiner = new FrameJoiner();
  const pieces = response.iterator() as AsyncIterableIterator<Buffer>;
  let remaining = maxBytes;

  /** Returns the next complete lines, or `null` at the end. */
  async function next(): Promise<Buffer | null> {
    const { done, value } = await pieces.next().catch(() => {
      throw new AnswerFailure('broken', 'connection lost');
    });
    if (done) return null;
    const bytes = withBuffered(value, response);
    remaining -= bytes.byteLength;
    if (remaining < 0) {
      response.destroy();
      throw new AnswerFailure('too-long', `more than ${maxBytes} bytes`);
    }
    return repairer.push(bytes);
  }

  return new ReadableStream({
    async pull(controller) {
      let lines = await next();
      while (lines?.length === 0) lines = await next();
      const last = lines ?? repairer.end();
      if (last.length > 0) controller.enqueue(joiner.join(last));
      if (lines === null) return controller.close();
      const { pauseMs } = pace;
      if (pauseMs > 0) await sleep(pauseMs);
    },
    cancel: () => void response.destroy(),
  });
}

/** Returns `first` and all bytes that arrived after it. */
function withBuffered(first: Buffer, response: IncomingMessage): Buffer {
  const pieces = [first];
  for (;;) {
    const piece: Buffer | null = response.read();
    if (piece === null) break;
    pieces.push(piece);
  }
  return pieces.length === 1 ? first : Buffer.concat(pieces);
}
