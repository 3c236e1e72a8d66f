import type { Messages, ModelPart } from './models.ts';

type AssistantMessage = Extract<Messages[number], { role: 'assistant' }>;
type Content = Exclude<AssistantMessage['content'], string>[number];
type ProviderOptions = NonNullable<Extract<Content, { type: 'text' }>['providerOptions']>;

/** A tool call of a model. */
export interface RequestedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  /** The reason why the call is invalid, or `null`. */
  readonly problem: string | null;
}

interface TextBlock {
  readonly type: 'text' | 'reasoning';
  text: string;
  providerOptions?: ProviderOptions;
}

/** Collects the parts of a response to the message that the next request of the conversation contains. */
export class ResponseMessage {
  readonly #content: Content[] = [];
  /** Unfinished texts by type and ID. */
  readonly #blocks = new Map<string, TextBlock>();
  #isEmpty = true;

  /** `true` if the response has neither an end nor any content. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** Adds a part. Returns the call if the part is a tool call. */
  add(part: ModelPart): RequestedCall | null {
    switch (part.type) {
      case 'text-delta':
      case 'reasoning-delta':
        this.#addText(part.type === 'text-delta' ? 'text' : 'reasoning', part);
        return null;
      case 'text-end':
      case 'reasoning-end':
        this.#blocks.delete(`${part.type === 'text-end' ? 'text' : 'reasoning'} ${part.id}`);
        return null;
      case 'tool-call':
        return this.#addCall(part);
      case 'model-call-end':
      case 'error':
        this.#isEmpty = false;
        return null;
      default:
        return null;
    }
  }

  toMessage(): AssistantMessage {
    return { role: 'assistant', content: this.#content };
  }

  #addText(
    type: TextBlock['type'],
    { id, text, providerMetadata }: Extract<ModelPart, { type: 'text-delta' | 'reasoning-delta' }>,
  ): void {
    if (text === '' && providerMetadata === undefined) return;
    this.#isEmpty = false;
    const key = `${type} ${id}`;
    let block = this.#blocks.get(key);
    if (block === undefined) {
      block = { type, text: '' };
      this.#blocks.set(key, block);
      this.#content.push(block);
    }
    block.text += text;
    if (providerMetadata !== undefined) block.providerOptions = providerMetadata;
  }

  #addCall(part: Extract<ModelPart, { type: 'tool-call' }>): RequestedCall {
    this.#isEmpty = false;
    const { toolCallId, toolName, providerMetadata } = part;
    const isInvalid = 'invalid' in part && part.invalid === true;
    const input = isInvalid && typeof part.input !== 'object' ? {} : part.input;
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
