import type { ConversationWithMessages, Feedback } from '@gatehouse/contract';
import { type Signal, signal } from '@preact/signals';
import type { Api } from '../api/api.ts';
import { type Failure, isFailure } from '../api/failure.ts';
import {
  type Answer,
  type AnswerView,
  fromKept,
  type Message,
  newAnswer,
  type Question,
  randomId,
  sourceOf,
  toSent,
} from './message.ts';
import { sendQuestion, type TurnEvent } from './send-question.ts';
import { SlowSignal } from './slow-signal.ts';

/** More of what was said, the service would leave out. */
const MOST_SENT = 100;

export interface ChatDeps {
  readonly api: Api;
  /** Whether the link lets conversations be kept. */
  readonly isKept: () => boolean;
  /** Facts that the embedding page tells, as they are now. */
  readonly context: () => object | null;
  /** The service says that the link has ended. */
  readonly onLinkEnded: () => void;
  readonly onQuestion: () => void;
  readonly onAnswer: (state: 'finished' | 'stopped' | 'failed') => void;
}

/** One conversation at a time: what was said, and the answer that is under way. */
export class Chat {
  readonly messages: Signal<readonly Message[]> = signal<readonly Message[]>([]);
  readonly isAnswering = signal(false);
  /** Of the conversation that is kept; null: nothing of this one is kept yet, or ever. */
  readonly conversationId = signal<string | null>(null);
  /** Whether what was said earlier is being fetched, or why it is not there. */
  readonly opening = signal<'no' | 'loading' | Failure>('no');
  /** Whether this is a conversation of earlier. */
  readonly isContinued = signal(false);
  readonly #deps: ChatDeps;
  #chatId = randomId();
  #running: AbortController | null = null;

  constructor(deps: ChatDeps) {
    this.#deps = deps;
  }

  ask(text: string): void {
    if (this.isAnswering.peek()) return;
    const question: Question = { role: 'user', id: randomId(), text };
    this.#deps.onQuestion();
    void this.#answer(question, [...this.messages.peek(), question], 'submit-message');
  }

  /** Has the question before this answer answered again, in its place. */
  askAgain(answer: Answer): void {
    const messages = this.messages.peek();
    const before = messages.slice(0, messages.indexOf(answer));
    const question = before.at(-1);
    if (this.isAnswering.peek() || question?.role !== 'user') return;
    void this.#answer(question, before, 'regenerate-message');
  }

  stop(): void {
    this.#running?.abort();
  }

  startNew(): void {
    this.stop();
    this.#chatId = randomId();
    this.conversationId.value = null;
    this.isContinued.value = false;
    this.opening.value = 'no';
    this.messages.value = [];
  }

  /** Shows a conversation that was kept. */
  async open(id: string): Promise<void> {
    this.startNew();
    this.#chatId = id;
    this.conversationId.value = id;
    this.opening.value = 'loading';
    const path = `/chat/conversations/${id}`;
    const found = await this.#deps.api.read<ConversationWithMessages>({ method: 'GET', path });
    if (this.#chatId !== id) return;
    if (isFailure(found)) {
      this.opening.value = found;
      return;
    }
    this.opening.value = 'no';
    this.isContinued.value = found.messages.length > 0;
    this.messages.value = [...found.messages.map(fromKept), ...this.messages.peek()];
  }

  /** The same once more, after it failed. */
  reopen(): void {
    const id = this.conversationId.peek();
    if (id !== null) void this.open(id);
  }

  /** Says whether an answer helped. Resolves to why that is not kept, or null. */
  async rate(answer: Answer, feedback: Feedback): Promise<Failure | null> {
    const path = `/chat/messages/${answer.id}/feedback`;
    const kept = await this.#deps.api.send({ method: 'POST', path, body: feedback });
    if (isFailure(kept)) return kept;
    answer.view.value = { ...answer.view.peek(), rating: feedback.rating };
    return null;
  }

  async #answer(
    question: Question,
    said: readonly Message[],
    trigger: 'submit-message' | 'regenerate-message',
  ): Promise<void> {
    const answer = newAnswer();
    const running = new AbortController();
    const chatId = this.#chatId;
    this.#running = running;
    this.isAnswering.value = true;
    this.messages.value = [...said, answer];
    const context = this.#deps.context();
    const body = {
      id: chatId,
      messages: (this.#deps.isKept() ? [question] : said.slice(-MOST_SENT)).map(toSent),
      trigger,
      ...(context === null ? {} : { context }),
    };
    const view = new SlowSignal(answer.view);
    try {
      for await (const event of sendQuestion(this.#deps.api, body, running.signal)) {
        if (event.kind === 'begun') {
          answer.id = event.messageId;
          if (this.#chatId === chatId && event.conversationId !== null)
            this.conversationId.value = event.conversationId;
        }
        view.change((before) => after(before, event));
        if (event.kind === 'failed' && event.hasLinkEnded) this.#deps.onLinkEnded();
      }
    } catch {
      view.change((before) => ({ ...before, state: 'stopped' }));
    }
    view.flush();
    if (this.#running === running) {
      this.#running = null;
      this.isAnswering.value = false;
    }
    const { state } = answer.view.peek();
    if (state !== 'coming' && state !== 'hidden') this.#deps.onAnswer(state);
  }
}

/** An answer after something happened to it. */
function after(view: AnswerView, event: TurnEvent): AnswerView {
  switch (event.kind) {
    case 'begun':
      return view;
    case 'text':
      return { ...view, text: view.text + event.text };
    case 'source':
      return { ...view, sources: [...view.sources, sourceOf(event.part)] };
    case 'finished':
      return { ...view, state: 'finished' };
    case 'failed':
      return { ...view, state: 'failed', failure: event.failure };
  }
}
