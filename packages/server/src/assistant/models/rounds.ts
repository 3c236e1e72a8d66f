import type { ToolSet } from 'ai';
import type { LoadedModel, Messages, ModelPart, Sdk } from './models.ts';
import { type RequestedCall, ResponseMessage } from './response-message.ts';

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
  readonly instructions: string;
  readonly messages: Messages;
  /** Tools by name. */
  readonly tools: Readonly<Record<string, ModelTool>>;
  /** Maximum number of requests in which the model may call tools. */
  readonly rounds: number;
  readonly signal: AbortSignal;
}

/** A part of a response, or the start of a request to the model. */
export type RoundPart = ModelPart | { readonly type: 'round-start' };

type ToolResult = Extract<
  Extract<Messages[number], { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>;

/**
 * Asks a model and repeats the request with the results of the tools that the model calls, until it answers without calling any.
 * Calls run while the rest of the response arrives. An invalid or failed call becomes an error text for the model.
 *
 * The SDK's `streamText` does the same, but passes each part through more streams, which takes more than twice the CPU time and
 * memory (decision 17).
 *
 * Throws the errors of the SDK and of `createModelFetch`.
 */
export async function* modelRounds(
  { sdk, model }: LoadedModel,
  { instructions, messages, tools, rounds, signal }: RoundsRequest,
): AsyncGenerator<RoundPart> {
  const conversation = [...messages];
  const offered = rounds > 0 ? { tools: toolSet(sdk, tools) } : {};
  for (let round = 0; ; round += 1) {
    yield { type: 'round-start' };
    // In the last round the model must answer instead of calling tools.
    const mayCall = round < rounds;
    const { stream } = await sdk.experimental_streamLanguageModelCall({
      model,
      instructions,
      messages: conversation,
      ...offered,
      toolChoice: mayCall ? 'auto' : 'none',
      abortSignal: signal,
      // `ResponseMessage` collects the content, so the SDK need not keep further copies of it.
      _internal: { collectContent: false },
    });
    const response = new ResponseMessage();
    const results: Promise<ToolResult>[] = [];
    for await (const part of stream) {
      const call = response.add(part);
      if (call !== null) results.push(resultOf(tools, call));
      yield part;
    }
    if (results.length === 0 || !mayCall) return;
    conversation.push(response.toMessage(), { role: 'tool', content: await Promise.all(results) });
  }
}

function toolSet(sdk: Sdk, tools: RoundsRequest['tools']): ToolSet {
  return Object.fromEntries(
    Object.entries(tools).map(([name, { description, inputSchema }]) => [
      name,
      { description, inputSchema: sdk.jsonSchema(inputSchema) },
    ]),
  );
}

/** Runs a call. Never rejects. */
async function resultOf(tools: RoundsRequest['tools'], call: RequestedCall): Promise<ToolResult> {
  const { toolCallId, toolName, input, problem } = call;
  const tool = Object.hasOwn(tools, toolName) ? tools[toolName] : undefined;
  const output =
    problem !== null || tool === undefined
      ? failed(problem ?? `There is no tool ${toolName}.`)
      : await tool.execute(input).then(
          (value) => ({ type: 'text', value }) as const,
          () => failed('The call failed.'),
        );
  return { type: 'tool-result', toolCallId, toolName, output };
}

function failed(value: string) {
  return { type: 'error-text', value } as const;
}
