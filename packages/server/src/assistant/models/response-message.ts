import { GrowingText } from '../../lib/text/index.ts';
import type { Message, ModelPart, RequestedCall } from './call-model.ts';
import type { TextPiece } from './think-tags.ts';

type AssistantMessage = Extract<Message, { role: 'assistant' }>;
type Content = AssistantMessage['content'][number];

/** Collects the parts of a response to the message that the next request of the conversation contains. */
export class ResponseMessage {
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
