import type { SourcePart } from '@gatehouse/contract';
import type { Api } from '../api/api.ts';
import { type Failure, failureOf, OFFLINE } from '../api/failure.ts';
import { readEvents } from './read-events.ts';

/** What happens to a question, as it happens. */
export type TurnEvent =
  | { readonly kind: 'begun'; readonly messageId: string; readonly conversationId: string | null }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'source'; readonly part: SourcePart }
  | { readonly kind: 'finished' }
  | {
      readonly kind: 'failed';
      readonly failure: Failure;
      /** The link ended while the answer came. */
      readonly hasLinkEnded?: true;
    };

/** Longer than the service is silent, which says something every 15 s. */
const SILENCE_MS = 40_000;

/**
 * `POST /chat`, understood. Its last event is `finished` or `failed`. Throws only when `signal` aborts.
 */
export async function* sendQuestion(
  api: Api,
  body: object,
  signal: AbortSignal,
): AsyncGenerator<TurnEvent> {
  const silence = new AbortController();
  const both = AbortSignal.any([signal, silence.signal]);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listen = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), SILENCE_MS);
  };
  const reading = new Reading();
  try {
    listen();
    const sent = api.send({ method: 'POST', path: '/chat', body, signal: both });
    // It may be waiting for a session, or for another link.
    const answer = await Promise.race([sent, aborted(both)]);
    if (!(answer instanceof Response)) return yield { kind: 'failed', failure: answer };
    if (answer.body === null) return yield { kind: 'failed', failure: OFFLINE };
    let hasEnded = false;
    // To the very end, or else the browser takes the request for one that was broken off.
    for await (const data of readEvents(answer.body)) {
      listen();
      const event = reading.read(data);
      if (event === null || hasEnded) continue;
      hasEnded = event.kind === 'finished' || event.kind === 'failed';
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
  readonly messageMetadata?: {
    readonly conversationId?: string | null;
    readonly code?: string;
    readonly retriable?: boolean;
  };
}

/** Makes events of the parts of a stream; why an answer failed comes before that it did. */
class Reading {
  #failure: TurnEvent = { kind: 'failed', failure: failureOf(undefined, true) };

  read(data: string): TurnEvent | null {
    if (data === '' || data === '[DONE]') return null;
    const chunk = JSON.parse(data) as Chunk;
    const metadata = chunk.messageMetadata ?? {};
    switch (chunk.type) {
      case 'start': {
        const { conversationId = null } = metadata;
        return { kind: 'begun', messageId: String(chunk.messageId), conversationId };
      }
      case 'text-delta':
        return { kind: 'text', text: String(chunk.delta) };
      case 'source-document':
        return { kind: 'source', part: chunk as unknown as SourcePart };
      case 'message-metadata':
        this.#failure = {
          kind: 'failed',
          failure: failureOf(metadata.code, metadata.retriable ?? true),
          ...(metadata.code?.startsWith('links.') ? { hasLinkEnded: true } : {}),
        };
        return null;
      case 'error':
        return this.#failure;
      case 'finish':
        return { kind: 'finished' };
      default:
        return null;
    }
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}
