import { AnswerFailure } from '../answerer.ts';
import type { Message, Messages, Model, ModelPart } from './models.ts';
import type { SearchTool } from './search-tool.ts';

export type RoundsPart =
  | ModelPart
  /** A request begins. */
  | { readonly type: 'round' }
  /** What the model looked for was found, or not. */
  | { readonly type: 'searched' };

export interface RoundsOptions {
  readonly model: Model;
  readonly messages: Messages;
  readonly search: SearchTool;
  /** How many requests may offer the search; one more follows, in which the model has to answer. */
  readonly searches: number;
  readonly signal: AbortSignal;
}

/** Asks a model again and again, with what it looked for, until it looks for nothing more. */
export async function* rounds(options: RoundsOptions): AsyncGenerator<RoundsPart> {
  const { model, search, searches, signal } = options;
  const messages = [...options.messages];
  for (let round = 0; ; round++) {
    yield { type: 'round' };
    const said = new Said();
    const { stream } = await model.doStream({
      prompt: messages,
      abortSignal: signal,
      ...(searches > 0 && {
        tools: [search.tool],
        toolChoice: { type: round < searches ? 'auto' : 'none' },
      }),
    });
    for await (const part of stream) {
      said.add(part);
      yield part;
    }
    if (said.calls.length === 0) return;
    if (round >= searches) throw new AnswerFailure('garbage', 'a search where none is offered');
    messages.push(said.asMessage(), await resultsOf(said.calls, search));
    yield { type: 'searched' };
  }
}

type Call = ModelPart & { type: 'tool-call' };

/** What a model said in one round, to be shown to it in the next. */
class Said {
  readonly calls: Call[] = [];
  #text = '';
  #reasoning = '';

  add(part: ModelPart): void {
    if (part.type === 'text-delta') this.#text += part.delta;
    else if (part.type === 'reasoning-delta') this.#reasoning += part.delta;
    else if (part.type === 'tool-call') this.calls.push(part);
  }

  asMessage(): Message {
    return {
      role: 'assistant',
      content: [
        ...(this.#reasoning === '' ? [] : [{ type: 'reasoning' as const, text: this.#reasoning }]),
        ...(this.#text === '' ? [] : [{ type: 'text' as const, text: this.#text }]),
        ...this.calls.map(({ toolCallId, toolName, input, providerMetadata }) => ({
          type: 'tool-call' as const,
          toolCallId,
          toolName,
          input: objectOf(input),
          // Some servers want theirs back.
          ...(providerMetadata && { providerOptions: providerMetadata }),
        })),
      ],
    };
  }
}

async function resultsOf(calls: readonly Call[], search: SearchTool): Promise<Message> {
  const results = calls.map(async ({ toolCallId, toolName, input }) => ({
    type: 'tool-result' as const,
    toolCallId,
    toolName,
    output: { type: 'text' as const, value: await search.call(toolName, input) },
  }));
  return { role: 'tool', content: await Promise.all(results) };
}

function objectOf(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return {};
  }
}
