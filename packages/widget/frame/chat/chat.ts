import type { ConversationWithMessages, Feedback } from '@gatehouse/contract';
import { type Signal, signal } from '@preact/signals';
import type { Api } from '../api/api.ts';
import { type Failure, isFailure } from '../api/failure.ts';
import {
  type Answer,
  type AnswerData,
  fromStored,
  type Message,
  newAnswer,
  type Question,
  randomId,
  sourceOf,
  toUiMessage,
} from './message.ts';
import { sendQuestion, type TurnEvent } from './send-question.ts';

/** The service ignores all except the last 100 messages. */
const MAX_SENT_MESSAGES = 100;
/** Minimum interval between renders of a streaming answer, in milliseconds. */
const UPDATE_INTERVAL_MS = 50;
/** An answer counts as slow if no part of it arrives for this many milliseconds. */
const SLOW_AFTER_MS = 8_000;

export interface ChatDeps {
  readonly api: Api;
  /** Reports whether the link permits storing conversations. */
  readonly isHistoryOn: () => boolean;
  readonly context: () => object | null;
  /** Called when the service reports that the link has ended. */
  readonly onLinkEnded: () => void;
  readonly onQuestion: () => void;
  readonly onAnswer: (state: 'finished' | 'stopped' | 'failed') => void;
}

export class Chat {
  readonly messages: Signal<readonly Message[]> = signal<readonly Message[]>([]);
  readonly isAnswering = signal(false);
  /** Id of the stored conversation, or `null` if nothing is stored. */
  readonly conversationId = signal<string | null>(null);
  /** State of loading a stored conversation. A `Failure` is the reason why loading failed. */
  readonly loadState = signal<'idle' | 'loading' | Failure>('idle');
  /** `true` if this conversation was loaded and has messages. */
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

  /** Replaces an answer with a new one for the same question. */
  regenerate(answer: Answer): void {
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
    this.loadState.value = 'idle';
    this.messages.value = [];
  }

  async open(id: string): Promise<void> {
    this.startNew();
    this.#chatId = id;
    this.conversationId.value = id;
    this.loadState.value = 'loading';
    const path = `/chat/conversations/${id}`;
    const found = await this.#deps.api.read<ConversationWithMessages>({ method: 'GET', path });
    if (this.#chatId !== id) return;
    if (isFailure(found)) {
      this.loadState.value = found;
      return;
    }
    this.loadState.value = 'idle';
    this.isContinued.value = found.messages.length > 0;
    this.messages.value = [...found.messages.map(fromStored), ...this.messages.peek()];
  }

  /** Retries a failed `open`. */
  reopen(): void {
    const id = this.conversationId.peek();
    if (id !== null) void this.open(id);
  }

  /** Rates an answer. Resolves to `null` when the rating is stored. */
  async rate(answer: Answer, feedback: Feedback): Promise<Failure | null> {
    const path = `/chat/messages/${answer.id}/feedback`;
    const response = await this.#deps.api.send({ method: 'POST', path, body: feedback });
    if (isFailure(response)) return response;
    answer.view.value = { ...answer.view.peek(), rating: feedback.rating };
    return null;
  }

  async #answer(
    question: Question,
    history: readonly Message[],
    trigger: 'submit-message' | 'regenerate-message',
  ): Promise<void> {
    const answer = newAnswer();
    const running = new AbortController();
    const chatId = this.#chatId;
    this.#running = running;
    this.isAnswering.value = true;
    this.messages.value = [...history, answer];
    const context = this.#deps.context();
    const body = {
      id: chatId,
      messages: (this.#deps.isHistoryOn() ? [question] : history.slice(-MAX_SENT_MESSAGES)).map(
        toUiMessage,
      ),
      trigger,
      ...(context === null ? {} : { context }),
    };
    const view = new ThrottledSignal(answer.view);
    const stopTimer = () => {
      clearTimeout(timer);
      answer.isSlow.value = false;
    };
    const startTimer = () => setTimeout(() => (answer.isSlow.value = true), SLOW_AFTER_MS);
    let timer = startTimer();
    try {
      for await (const event of sendQuestion(this.#deps.api, body, running.signal)) {
        stopTimer();
        timer = startTimer();
        if (event.kind === 'started') {
          answer.id = event.messageId;
          if (this.#chatId === chatId && event.conversationId !== null)
            this.conversationId.value = event.conversationId;
        }
        view.update((before) => apply(before, event));
        if (event.kind === 'failed' && event.hasLinkEnded) this.#deps.onLinkEnded();
      }
    } catch {
      view.update((before) => ({ ...before, state: 'stopped' }));
    }
    stopTimer();
    view.flush();
    if (this.#running === running) {
      this.#running = null;
      this.isAnswering.value = false;
    }
    const { state } = answer.view.peek();
    if (state !== 'streaming' && state !== 'hidden') this.#deps.onAnswer(state);
  }
}

function apply(view: AnswerData, event: TurnEvent): AnswerData {
  switch (event.kind) {
    case 'started':
      return view;
    case 'text':
      return { ...view, text: view.text + event.text };
    case 'source':
      return { ...view, sources: [...view.sources, sourceOf(event.part)] };
    case 'finished':
      return { ...view, state: 'finished' };
    case 'failed':
      return { ...view, state: 'failed', failure: event.failure };
    default:
      return { ...view, tools: [...view.tools, event] };
  }
}

/** Updates a signal at most once every 50 milliseconds. The first update is immediate. */
export class ThrottledSignal<T> {
  readonly #signal: Signal<T>;
  #next: T;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(signal: Signal<T>) {
    this.#signal = signal;
    this.#next = signal.peek();
  }

  update(update: (value: T) => T): void {
    this.#next = update(this.#next);
    if (this.#timer !== undefined) return;
    this.#signal.value = this.#next;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#signal.value = this.#next;
    }, UPDATE_INTERVAL_MS);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#signal.value = this.#next;
  }
}
