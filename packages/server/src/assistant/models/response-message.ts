import type { Messages, ModelPart } from './models.ts';

type AssistantMessage = Extract<Messages[number], { role: 'assistant' }>;
type Content = Exclude<AssistantMessage['content'], string>[number];
type Text = Extract<Content, { type: 'text' | 'reasoning' }>;

/** A tool call of a model. */
export interface RequestedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  /** The reason why the call is invalid, or `null`. */
  readonly problem: string | null;
}

/** Collects the parts of a response to the message that the next request of the conversation contains. */
export class ResponseMessage {
  readonly #content: Content[] = [];
  /** The last content, if it is text. */
  #last: Text | null = null;

  /** Adds a part. Returns the call if the part is a tool call. */
  add(part: ModelPart): RequestedCall | null {
    if (part.type === 'tool-call') return this.#addCall(part);
    if (part.type === 'text-delta') this.#addText('text', part);
    else if (part.type === 'reasoning-delta') this.#addText('reasoning', part);
    return null;
  }

  toMessage(): AssistantMessage {
    return { role: 'assistant', content: this.#content };
  }

  #addText(
    type: Text['type'],
    { text, providerMetadata }: Extract<ModelPart, { type: 'text-delta' | 'reasoning-delta' }>,
  ): void {
    const block = this.#last?.type === type ? this.#last : this.#startText(type);
    block.text += text;
    if (providerMetadata !== undefined) block.providerOptions = providerMetadata;
  }

  #startText(type: Text['type']): Text {
    const block: Text = { type, text: '' };
    this.#content.push(block);
    this.#last = block;
    return block;
  }

  #addCall(part: Extract<ModelPart, { type: 'tool-call' }>): RequestedCall {
    const { toolCallId, toolName, providerMetadata } = part;
    const isInvalid = 'invalid' in part && part.invalid === true;
    // The input of an invalid call can be text that is not JSON.
    const input = isInvalid && typeof part.input !== 'object' ? {} : part.input;
    this.#last = null;
    this.#content.push({
      type: 'tool-call',
      toolCallId,
      toolName,
      input,
      ...(providerMetadata !== undefined && { providerOptions: providerMetadata }),
    });
    return { toolCallId, toolName, input, problem: isInvalid ? problemOf(part.error) : null };
  }
}

function problemOf(error: unknown): string {
  return error instanceof Error ? error.message : 'The call is invalid.';
}
