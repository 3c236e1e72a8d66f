import { type Handoff, type SourcePart, UI_MESSAGE_STREAM_VERSION } from '@gatehouse/contract';
import { type EventFormat, UNBUFFERED } from '../../http/index.ts';
import type { AnswerPart, ToolCall } from '../answerer.ts';

export interface AnswerMetadata {
  /** `null` if nothing is stored. */
  readonly conversationId?: string | null;
  /** Set if people answer instead of the assistant. */
  readonly handoff?: Handoff;
  readonly state?: 'finished' | 'failed';
  /** Further questions. */
  readonly suggestions?: readonly string[];
  /** `chat.<reason>` of a failure, or `links.<reason>` if the link has ended. Stable. */
  readonly code?: string;
  /** `true` if a retry may succeed. */
  readonly retriable?: boolean;
}

/** The supported parts of the AI SDK's UI message stream. */
export type Chunk =
  | {
      readonly type: 'start';
      readonly messageId: string;
      readonly messageMetadata: AnswerMetadata;
    }
  | { readonly type: 'text-start' | 'text-end'; readonly id: string }
  | { readonly type: 'reasoning-start' | 'reasoning-end'; readonly id: string }
  | {
      readonly type: 'text-delta' | 'reasoning-delta';
      readonly id: string;
      readonly delta: string;
    }
  | SourcePart
  | CallPart
  | ResultPart
  | { readonly type: 'message-metadata'; readonly messageMetadata: AnswerMetadata }
  | { readonly type: 'error'; readonly errorText: string }
  | {
      readonly type: 'finish';
      readonly finishReason: 'stop' | 'error';
      readonly messageMetadata: AnswerMetadata;
    };

export const STREAM_HEADERS = {
  'x-vercel-ai-ui-message-stream': UI_MESSAGE_STREAM_VERSION,
  ...UNBUFFERED,
};

/** ID of the text part. An answer has exactly one. */
export const TEXT_ID = 'answer';
export const REASONING_ID = 'reasoning';

/** The last event of a stream, as the protocol requires. */
const DONE = '[DONE]';

export type StreamEvent = Chunk | typeof DONE;

export async function* toEvents(chunks: AsyncIterable<Chunk>): AsyncGenerator<StreamEvent> {
  yield* chunks;
  yield DONE;
}

export const UI_STREAM: EventFormat<StreamEvent> = {
  dataOf: (event) => (event === DONE ? DONE : JSON.stringify(event)),
  join: (first, second) =>
    isDelta(first) && isDelta(second) && first.type === second.type
      ? { ...first, delta: first.delta + second.delta }
      : null,
};

function isDelta(event: StreamEvent): event is Chunk & { type: 'text-delta' | 'reasoning-delta' } {
  return event !== DONE && (event.type === 'text-delta' || event.type === 'reasoning-delta');
}

/** `consent`: the client must ask the person before it runs the tool. */
interface CallOfPage {
  readonly runsIn: 'page';
  readonly consent: boolean;
}

type CallPart =
  | {
      readonly type: 'tool-input-available';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly title?: string;
      readonly input: unknown;
      readonly dynamic: true;
      /** Set if the client must run the tool and return its result. */
      readonly providerMetadata?: { readonly gatehouse: CallOfPage };
    }
  | {
      readonly type: 'tool-approval-request';
      readonly approvalId: string;
      readonly toolCallId: string;
    };

/** The result itself is not sent to the client, because the backend wrote it for the model. */
type ResultPart =
  | {
      readonly type: 'tool-output-available';
      readonly toolCallId: string;
      readonly output: null;
      readonly dynamic: true;
    }
  | {
      readonly type: 'tool-output-error';
      readonly toolCallId: string;
      readonly errorText: string;
      readonly dynamic: true;
    }
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string };

export function* toCallParts({
  id,
  name,
  title,
  input,
  needsConsent,
  runsIn,
}: ToolCall): Generator<CallPart> {
  yield {
    type: 'tool-input-available',
    toolCallId: id,
    toolName: name,
    ...(title === null ? {} : { title }),
    input,
    dynamic: true,
    ...(runsIn === undefined
      ? {}
      : { providerMetadata: { gatehouse: { runsIn, consent: needsConsent } } }),
  };
  // The client itself asks for the consent to run a tool of its page.
  if (needsConsent && runsIn === undefined)
    yield { type: 'tool-approval-request', approvalId: id, toolCallId: id };
}

export function toResultPart({
  id: toolCallId,
  outcome,
}: Extract<AnswerPart, { kind: 'tool-result' }>): ResultPart {
  switch (outcome) {
    case 'succeeded':
      return { type: 'tool-output-available', toolCallId, output: null, dynamic: true };
    case 'failed':
      return {
        type: 'tool-output-error',
        toolCallId,
        errorText: 'The tool failed.',
        dynamic: true,
      };
    case 'denied':
      return { type: 'tool-output-denied', toolCallId };
  }
}
