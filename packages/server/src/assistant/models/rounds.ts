import { GrowingText } from '../../lib/text/index.ts';
import { callModel, type Message, type ModelPart, type RequestedCall } from './call-model.ts';
import type { ChatModel } from './models.ts';
import type { TextPiece } from './think-tags.ts';

/** A tool that a model may call. */
export interface ModelTool {
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /**
   * Runs a call and returns its result as text for the model.
   *
   * @param input JSON from the model that may violate the schema. Untrusted.
   */
  readonly execute: (input: unknown) => Promise<string>;
}

export interface RoundsRequest {
  readonly messages: readonly Message[];
  /** Tools by name. */
  readonly tools: Readonly<Record<string, ModelTool>>;
  /** Maximum number of requests in which the model may call tools. */
  readonly rounds: number;
  readonly signal: AbortSignal;
}

/** A part of a response, or the start of a request to the model. */
export type RoundPart = ModelPart | { readonly type: 'round-start' };

type ToolResult = Extract<
  Extract<Message, { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>;

/**
 * Asks a model and repeats the request with the results of the tools that the model calls, until it answers without calling any.
 * Calls run while the rest of the response arrives. An invalid or failed call becomes an error text for the model.
 *
 * Throws the errors of `callModel`.
 */
export async function* modelRounds(
  model: ChatModel,
  { messages, tools, rounds, signal }: RoundsRequest,
): AsyncGenerator<RoundPart> {
  const conversation = [...messages];
  const offered = rounds > 0 ? offeredTools(tools) : undefined;
  for (let round = 0; ; round += 1) {
    yield { type: 'round-start' };
    // In the last round the model must answer instead of calling tools.
    const mayCall = round < rounds;
    const response = new ResponseMessage();
    const results: Promise<ToolResult>[] = [];
    const request = { messages: conversation, tools: offered, mayCall, signal };
    for await (const part of callModel(model, request)) {
      response.add(part);
      if (part.type === 'tool-call') results.push(resultOf(tools, part.call));
      yield part;
    }
    if (results.length === 0 || !mayCall) return;
    conversation.push(response.toMessage(), { role: 'tool', content: await Promise.all(results) });
  }
}

function offeredTools(tools: RoundsRequest['tools']) {
  return Object.entries(tools).map(([name, { description, inputSchema }]) => {
    const type = 'function' as const;
    return { type, name, description, inputSchema };
  });
}

/** Runs a call. Never rejects. */
async function resultOf(tools: RoundsRequest['tools'], call: RequestedCall): Promise<ToolResult> {
  const { toolCallId, toolName, input, problem } = call;
  const tool = problem === null ? tools[toolName] : undefined;
  const output =
    tool === undefined
      ? failed(problem ?? 'The call failed.')
      : await tool.execute(input).then(
          (value) => ({ type: 'text', value }) as const,
          () => failed('The call failed.'),
        );
  return { type: 'tool-result', toolCallId, toolName, output };
}

function failed(value: string) {
  return { type: 'error-text', value } as const;
}

type AssistantMessage = Extract<Message, { role: 'assistant' }>;
type Content = AssistantMessage['content'][number];

/** Collects the parts of a response to the message that the next request of the conversation contains. */
class ResponseMessage {
  readonly #content: Content[] = [];
  /** The last block, if it is text. It is added to `#content` when it ends. */
  #last: { readonly type: TextPiece['type']; readonly text: GrowingText } | null = null;

  add(part: ModelPart): void {
    if (part.type === 'tool-call') this.#addCall(part.call);
    else if (part.type === 'text' || part.type === 'reasoning') this.#addText(part);
  }

  toMessage(): AssistantMessage {
    this.#endText();
    return { role: 'assistant', content: this.#content };
  }

  #addText({ type, text }: TextPiece): void {
    if (this.#last?.type !== type) {
      this.#endText();
      this.#last = { type, text: new GrowingText() };
    }
    this.#last.text.add(text);
  }

  #endText(): void {
    if (this.#last === null) return;
    const { type, text } = this.#last;
    this.#content.push({ type, text: text.toString() });
    this.#last = null;
  }

  #addCall({ toolCallId, toolName, input, metadata }: RequestedCall): void {
    this.#endText();
    this.#content.push({
      type: 'tool-call',
      toolCallId,
      toolName,
      input,
      ...(metadata !== undefined && { providerOptions: metadata }),
    });
  }
}
