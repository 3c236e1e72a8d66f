import { type SourcePart, UI_MESSAGE_STREAM_VERSION } from '@gatehouse/contract';
import type { EventFormat } from '../../http/index.ts';

/** What a client learns about an answer beside its parts. */
export interface AnswerMetadata {
  /** Null where nothing is kept. */
  readonly conversationId?: string | null;
  readonly state?: 'finished' | 'failed';
  /** `chat.<reason>` of a failure, or `links.<reason>` of a link that has ended; stable. */
  readonly code?: string;
  /** Whether asking again may help. */
  readonly retriable?: boolean;
}

/** The parts of the AI SDK's UI message stream that we send. */
export type Chunk =
  | {
      readonly type: 'start';
      readonly messageId: string;
      readonly messageMetadata: AnswerMetadata;
    }
  | { readonly type: 'text-start' | 'text-end'; readonly id: string }
  | { readonly type: 'text-delta'; readonly id: string; readonly delta: string }
  | SourcePart
  | { readonly type: 'message-metadata'; readonly messageMetadata: AnswerMetadata }
  | { readonly type: 'error'; readonly errorText: string }
  | {
      readonly type: 'finish';
      readonly finishReason: 'stop' | 'error';
      readonly messageMetadata: AnswerMetadata;
    };

export const STREAM_HEADERS = {
  'x-vercel-ai-ui-message-stream': UI_MESSAGE_STREAM_VERSION,
  // Proxies that gather an answer before they pass it on are asked not to.
  'x-accel-buffering': 'no',
};

/** An answer has one text. */
export const TEXT_ID = 'answer';

/** What ends a stream, as the protocol wants it. */
const DONE = '[DONE]';

export type StreamEvent = Chunk | typeof DONE;

/** The events that make a stream of these parts. */
export async function* toEvents(chunks: AsyncIterable<Chunk>): AsyncGenerator<StreamEvent> {
  yield* chunks;
  yield DONE;
}

export const UI_STREAM: EventFormat<StreamEvent> = {
  dataOf: (event) => (event === DONE ? DONE : JSON.stringify(event)),
  join: (first, second) =>
    isDelta(first) && isDelta(second) ? { ...first, delta: first.delta + second.delta } : null,
};

function isDelta(event: StreamEvent): event is Chunk & { type: 'text-delta' } {
  return event !== DONE && event.type === 'text-delta';
}
