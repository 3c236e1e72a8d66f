import { parse } from '../../lib/json/index.ts';
import { AnswerFailure } from '../answerer.ts';
import type { ChatModel } from './models.ts';
import { type TextPiece, ThinkTags } from './think-tags.ts';

type CallOptions = Parameters<ChatModel['doStream']>[0];
type StreamPart =
  Awaited<ReturnType<ChatModel['doStream']>>['stream'] extends ReadableStream<infer Part>
    ? Part
    : never;
type Finish = Extract<StreamPart, { type: 'finish' }>;
type SentCall = Extract<StreamPart, { type: 'tool-call' }>;

export type Message = CallOptions['prompt'][number];
export type Usage = Finish['usage'];

export interface RequestedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** JSON that may violate the schema of the tool. Untrusted. */
  readonly input: unknown;
  /** The reason why the call is invalid, as a sentence for the model, or `null`. */
  readonly problem: string | null;
  /** Data of the server that the next request must repeat, such as a signature of the model's thoughts. */
  readonly metadata: SentCall['providerMetadata'];
}

export type ModelPart =
  | TextPiece
  /** A piece of a tool call arrived. */
  | { readonly type: 'tool-input' }
  | { readonly type: 'tool-call'; readonly call: RequestedCall }
  | { readonly type: 'end'; readonly finishReason: string; readonly usage: Usage };

export interface ModelRequest {
  readonly messages: readonly Message[];
  readonly tools: CallOptions['tools'];
  /** `false`: the model must answer, and a tool call makes the answer fail. */
  readonly mayCall: boolean;
  readonly signal: AbortSignal;
}

/**
 * Sends one request to a model and returns the parts of its response as they arrive.
 *
 * The provider of the SDK builds the request and parses the response. Its stream is read directly, because each further stream of the
 * SDK costs CPU time for each part, and memory for each response (decision 17).
 *
 * @throws the errors of the SDK and of `createModelFetch`, errors that the server reports in the stream, and an `AnswerFailure` for a
 *   tool call that is not permitted.
 */
export async function* callModel(
  model: ChatModel,
  { messages, tools, mayCall, signal }: ModelRequest,
): AsyncGenerator<ModelPart> {
  const { stream } = await model.doStream({
    prompt: [...messages],
    ...(tools === undefined ? {} : { tools }),
    toolChoice: { type: mayCall ? 'auto' : 'none' },
    abortSignal: signal,
  });
  const names = (tools ?? []).map(({ name }) => name);
  const thinkTags = new ThinkTags();
  let hasForbiddenCall = false;
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value: part } = await reader.read();
      if (done) return;
      switch (part.type) {
        case 'text-delta':
          yield* thinkTags.take(part.delta);
          break;
        case 'text-end':
          yield* thinkTags.end();
          break;
        case 'reasoning-delta':
          yield { type: 'reasoning', text: part.delta };
          break;
        case 'tool-input-start':
        case 'tool-input-delta':
          if (mayCall) yield { type: 'tool-input' };
          break;
        case 'tool-call':
          hasForbiddenCall ||= !mayCall;
          if (mayCall) yield { type: 'tool-call', call: requestedCall(part, names) };
          break;
        case 'finish':
          if (hasForbiddenCall) throw new AnswerFailure('garbage', 'tool call without tools');
          yield {
            type: 'end',
            finishReason: part.finishReason.raw ?? part.finishReason.unified,
            usage: part.usage,
          };
          break;
        case 'error':
          throw part.error;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function requestedCall(sent: SentCall, names: readonly string[]): RequestedCall {
  const { toolCallId, toolName, input: text, providerMetadata: metadata } = sent;
  const call = { toolCallId, toolName, metadata };
  if (!names.includes(toolName)) {
    const problem = `There is no tool ${toolName}. The tools are: ${names.join(', ')}.`;
    return { ...call, input: {}, problem };
  }
  try {
    const input = text.trim() === '' ? {} : parse(text);
    if (!hasProto(input)) return { ...call, input, problem: null };
  } catch {
    // The text is not JSON, or too deep.
  }
  return { ...call, input: {}, problem: `The arguments of the call of ${toolName} are invalid.` };
}

/** Reports whether a value contains a member `__proto__`, which could replace the prototype of an object in the page. */
function hasProto(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasProto);
}
