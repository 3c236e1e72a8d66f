import { AnswerFailure } from '../../../ports/answerer.ts';
import { failureOfStatus } from './failure.ts';

/** What of the body of a refusal is read. */
const MOST_OF_REFUSAL = 16 * 1024;
/** A connection that was kept open may be closed by the other side at the moment it is used again. */
const CLOSED_MEANWHILE = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);
const NO_STREAM = /^\s*(?:text\/html|application\/json)\b/i;

/** The SDK's way to the model's server during one answer. */
export interface Wire {
  readonly fetch: typeof fetch;
  /** What went wrong on the way, once something did: the SDK says it less clearly. */
  failure(): AnswerFailure | null;
}

/**
 * Lets the SDK have streams and nothing else: what is no success becomes an `AnswerFailure` before the SDK
 * keeps the body of a refusal in its errors, redirections are not followed with the key, and no more bytes
 * come than one answer may have.
 */
export function createWire(maxBytes: number): Wire {
  let failure: AnswerFailure | null = null;
  let left = maxBytes;
  const fail = (next: AnswerFailure): AnswerFailure => {
    failure ??= next;
    return failure;
  };
  return {
    failure: () => failure,
    fetch: async (input, init) => {
      const request = { ...init, redirect: 'manual' } as const;
      const response = await connect(input, request).catch((error) => {
        throw init?.signal?.aborted ? error : fail(unreachable(error));
      });
      if (!response.ok) throw fail(failureOfStatus(response.status, await beginning(response)));
      const type = response.headers.get('content-type') ?? '';
      if (response.body === null || NO_STREAM.test(type)) {
        await response.body?.cancel();
        throw fail(new AnswerFailure('garbage', 'no event stream'));
      }
      const body = watched(response.body, {
        arrived: (length) => {
          left -= length;
          if (left < 0) throw fail(new AnswerFailure('too-long', `more than ${maxBytes} bytes`));
        },
        lost: () => {
          if (init?.signal?.aborted !== true) fail(new AnswerFailure('broken', 'connection lost'));
        },
      });
      return new Response(body, { status: response.status, headers: response.headers });
    },
  };
}

async function connect(input: Parameters<typeof fetch>[0], init: RequestInit): Promise<Response> {
  try {
    return await fetch(input, init);
  } catch (error) {
    if (init.signal?.aborted || !CLOSED_MEANWHILE.has(codeOf(error))) throw error;
    return await fetch(input, init);
  }
}

function unreachable(error: unknown): AnswerFailure {
  const code = codeOf(error);
  return new AnswerFailure('unreachable', /^[A-Z_]{1,40}$/.test(code) ? code : 'no connection');
}

function codeOf(error: unknown): string {
  return String((error as { cause?: { code?: unknown } } | null)?.cause?.code ?? '');
}

async function beginning(response: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  try {
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes, { stream: true });
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
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  { arrived, lost }: Watcher,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read().catch((error) => {
        lost();
        throw error;
      });
      if (done) return controller.close();
      try {
        arrived(value.byteLength);
      } catch (error) {
        // The connection ends with it.
        await reader.cancel().catch(() => {});
        throw error;
      }
      controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
