import type { SourcePart } from '@gatehouse/contract';
import type { Api, Call } from '../api/api.ts';
import { type Failure, failureOf, OFFLINE } from '../api/failure.ts';
import { type AnswerData, sourceOf, type ToolPart } from './message.ts';
import type { QuestionCall } from './prepare.ts';

export { prepare } from './prepare.ts';

export type TurnEvent =
  | { readonly kind: 'started'; readonly messageId: string; readonly conversationId: string | null }
  | { readonly kind: 'text' | 'reasoning'; readonly text: string }
  | { readonly kind: 'source'; readonly part: SourcePart }
  | ToolPart
  | { readonly kind: 'finished'; readonly suggestions: readonly string[] }
  /** Another page has stopped the answer. */
  | { readonly kind: 'stopped' }
  | {
      readonly kind: 'failed';
      readonly failure: Failure;
      /** Present if the question failed because the link has ended. */
      readonly hasLinkEnded?: true;
    };

/** Kinds of the last event. */
const LAST: readonly TurnEvent['kind'][] = ['finished', 'stopped', 'failed'];

/** Returns an answer after an event. */
export function apply(view: AnswerData, event: TurnEvent): AnswerData {
  switch (event.kind) {
    case 'started':
      return view;
    case 'text':
    case 'reasoning':
      return { ...view, [event.kind]: view[event.kind] + event.text };
    case 'source':
      return { ...view, sources: [...view.sources, sourceOf(event.part)] };
    case 'finished':
      return { ...view, state: 'finished', suggestions: event.suggestions };
    case 'stopped':
      return { ...view, state: 'stopped' };
    case 'failed':
      return { ...view, state: 'failed', failure: event.failure };
    default:
      return { ...view, tools: [...view.tools, event] };
  }
}

/** Maximum gap between chunks, in milliseconds. The service sends a keep-alive comment every 15 seconds. */
const IDLE_TIMEOUT_MS = 40_000;
/**
 * Minimum delays in seconds before a question is sent again while another answer is in progress. They grow, because each attempt counts
 * towards the limit of questions per minute.
 */
const RETRY_DELAYS = [2, 4, 8, 16];

/**
 * Sends a question or a request to resume its answer, and yields the events of the answer. The last event is `finished`,
 * `stopped` or `failed`. While another answer is in progress, waits and sends the question again. Yields nothing if there is no answer to
 * resume, or nothing to send. Throws only if `signal` aborts.
 */
export async function* sendQuestion(
  api: Pick<Api, 'send'>,
  call: QuestionCall | Promise<QuestionCall | null>,
  signal: AbortSignal,
): AsyncGenerator<TurnEvent> {
  const idle = new AbortController();
  const both = AbortSignal.any([signal, idle.signal]);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const restartTimer = () => {
    clearTimeout(timer);
    timer = setTimeout(() => idle.abort(), IDLE_TIMEOUT_MS);
  };
  const parser = new ChunkParser();
  try {
    // `call` may wait for uploads, and `send` for a new session or a new link, which `signal` cannot interrupt.
    const prepared = await Promise.race([call, aborted(both)]);
    if (prepared === null) return;
    const send = (sent: Call) => {
      restartTimer();
      return Promise.race([api.send({ ...sent, signal: both }), aborted(both)]);
    };
    let response = await send(prepared);
    for (const delay of RETRY_DELAYS) {
      if (response instanceof Response || response.name !== 'turn-running') break;
      const isFirst = delay === RETRY_DELAYS[0];
      if (isFirst && prepared.stopPath) await send({ method: 'DELETE', path: prepared.stopPath });
      else await Promise.race([sleep(Math.max(delay, response.seconds ?? 0)), aborted(both)]);
      response = await send(prepared);
    }
    if (!(response instanceof Response)) return yield { kind: 'failed', failure: response };
    if (response.status === 204) return;
    if (response.body === null) return yield { kind: 'failed', failure: OFFLINE };
    let hasEnded = false;
    // Browsers report the request as failed unless the body is read to the end.
    for await (const data of readEvents(response.body)) {
      restartTimer();
      const event = parser.parse(data);
      if (event === null || hasEnded) continue;
      hasEnded = LAST.includes(event.kind);
      yield event;
    }
    if (!hasEnded) yield { kind: 'failed', failure: OFFLINE };
  } catch {
    signal.throwIfAborted();
    yield { kind: 'failed', failure: OFFLINE };
  } finally {
    clearTimeout(timer);
  }
}

interface Chunk {
  readonly type: string;
  readonly messageId?: string;
  readonly delta?: string;
  readonly toolCallId?: string;
  readonly messageMetadata?: {
    readonly conversationId?: string | null;
    readonly code?: string;
    readonly retriable?: boolean;
    readonly suggestions?: readonly string[];
  };
}

/** Converts chunks of the stream to events. The metadata chunk with the error code precedes the error chunk. */
class ChunkParser {
  #failure: TurnEvent = { kind: 'failed', failure: failureOf(undefined, true) };

  parse(data: string): TurnEvent | null {
    if (data === '') return null;
    // Otherwise a chunk with the end of the answer precedes it.
    if (data === '[DONE]') return { kind: 'stopped' };
    const chunk = JSON.parse(data) as Chunk;
    const metadata = chunk.messageMetadata ?? {};
    switch (chunk.type) {
      case 'start': {
        const { conversationId = null } = metadata;
        return { kind: 'started', messageId: String(chunk.messageId), conversationId };
      }
      case 'text-delta':
        return { kind: 'text', text: String(chunk.delta) };
      case 'reasoning-delta':
        return { kind: 'reasoning', text: String(chunk.delta) };
      case 'source-document':
        return { kind: 'source', part: chunk as unknown as SourcePart };
      case 'message-metadata': {
        const { code, retriable = true } = metadata;
        this.#failure = code?.startsWith('links.')
          ? // The page may provide another link, with which the question can be asked again.
            { kind: 'failed', failure: failureOf('chat.answer-broken', true), hasLinkEnded: true }
          : { kind: 'failed', failure: failureOf(code, retriable) };
        return null;
      }
      case 'error':
        return this.#failure;
      case 'finish':
        return { kind: 'finished', suggestions: metadata.suggestions ?? [] };
      default:
        return chunk.toolCallId ? (chunk as ToolPart) : null;
    }
  }
}

function sleep(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

/**
 * Yields the data of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html).
 * Supports only events with a single `data: ` line. Yields an empty string for each chunk of bytes, so that
 * callers also see comments as activity.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
    .getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      yield '';
      for (const line of lines) if (line.startsWith('data: ')) yield line.slice(6).trimEnd();
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}
