import { GrowingText } from '../../lib/text/index.ts';
import type { Messages, ModelPart } from './models.ts';

type AssistantMessage = Extract<Messages[number], { role: 'assistant' }>;
type Content = Exclude<AssistantMessage['content'], string>[number];
type Text = Extract<Content, { type: 'text' | 'reasoning' }>;

/** A block of text that still grows. */
interface GrowingBlock {
  readonly type: Text['type'];
  readonly text: GrowingText;
  providerOptions: Text['providerOptions'];
}

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
  /** The last block, if it is text. It is added to `#content` when it ends. */
  #last: GrowingBlock | null = null;

  /** Adds a part. Returns the call if the part is a tool call. */
  add(part: ModelPart): RequestedCall | null {
    if (part.type === 'tool-call') return this.#addCall(part);
    if (part.type === 'text-delta') this.#addText('text', part);
    else if (part.type === 'reasoning-delta') this.#addText('reasoning', part);
    return null;
  }

  toMessage(): AssistantMessage {
    this.#endText();
    return { role: 'assistant', content: this.#content };
  }

  #addText(
    type: Text['type'],
    { text, providerMetadata }: Extract<ModelPart, { type: 'text-delta' | 'reasoning-delta' }>,
  ): void {
    if (this.#last?.type !== type) {
      this.#endText();
      this.#last = { type, text: new GrowingText(), providerOptions: undefined };
    }
    this.#last.text.add(text);
    this.#last.providerOptions = providerMetadata ?? this.#last.providerOptions;
  }

  #endText(): void {
    if (this.#last === null) return;
    const { type, text, providerOptions } = this.#last;
    const options = providerOptions === undefined ? {} : { providerOptions };
    this.#content.push({ type, text: text.toString(), ...options });
    this.#last = null;
  }

  #addCall(part: Extract<ModelPart, { type: 'tool-call' }>): RequestedCall {
    const { toolCallId, toolName, providerMetadata } = part;
    const isInvalid = 'invalid' in part && part.invalid === true;
    // The input of an invalid call can be text that is not JSON.
    const input = isInvalid && typeof part.input !== 'object' ? {} : part.input;
    this.#endText();
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
