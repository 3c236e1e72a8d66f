import type { Handoff } from '@gatehouse/contract';
import { type Signal, signal } from '@preact/signals';
import type { Api, Call } from '../api/api.ts';
import { type Failure, isFailure, OFFLINE } from '../api/failure.ts';
import type { HostPage } from '../host-page.ts';
import { type Answer, type Message, newAnswer, type Question, randomId } from './message.ts';
import type { Asking } from './prepare.ts';

/** Less than the number of messages among which the service finds an edited question. */
const MAX_EDITABLE = 90;
/** Minimum interval between renders of a streaming answer, in milliseconds. */
const UPDATE_INTERVAL_MS = 50;
/** An answer counts as slow if no part of it arrives for this many milliseconds. */
const SLOW_AFTER_MS = 8_000;

export interface ChatDeps {
  readonly api: Api;
  /** Reports whether the link permits storing conversations. */
  readonly isHistoryOn: () => boolean;
  /** The embedding page, which provides facts and tools. */
  readonly host: HostPage;
  /** Called when the service reports that the link has ended. */
  readonly onLinkEnded: () => void;
}

export class Chat {
  readonly messages: Signal<readonly Message[]> = signal<readonly Message[]>([]);
  readonly isAnswering = signal(false);
  /** ID of the stored conversation, or `null` if nothing is stored. */
  readonly conversationId = signal<string | null>(null);
  /** State of loading a stored conversation. A `Failure` is the reason why loading failed. */
  readonly loadState = signal<'idle' | 'loading' | Failure>('idle');
  /** Cursor of stored messages before the first message, or `null`. */
  readonly earlier = signal<string | null>(null);
  /** `true` if this conversation was loaded and has messages. */
  readonly isContinued = signal(false);
  /** Newest handoff of the conversation to people, or `null`. */
  readonly handoff: Signal<Handoff | null> = signal<Handoff | null>(null);
  /** ID of the chat, or of the stored conversation. */
  chatId = randomId();
  readonly host: HostPage;
  /**
   * Adds the attached files to a question after their uploads, unless the signal aborts. If a file fails, returns the question to the text
   * field and resolves to `false`. Set by the component of attachments.
   */
  takeFiles?: ((question: Question, signal: AbortSignal) => Promise<boolean>) | undefined;
  readonly #deps: ChatDeps;
  /** Identifies the opened chat. Opening the same conversation again changes it. */
  #opened = {};
  /** Settles when the stored messages of the opened chat are loaded. */
  #loading: Promise<unknown> | undefined;
  #running: AbortController | null = null;

  constructor(deps: ChatDeps) {
    this.#deps = deps;
    this.host = deps.host;
  }

  ask(text: string): void {
    if (this.isAnswering.peek()) return;
    const question: Question = { role: 'user', id: randomId(), text };
    this.#answer(question, (messages) => [...messages, question], 'submit-message');
  }

  /** Asks a question again with another text. Removes the messages after it. */
  edit(question: Question, text: string): void {
    if (this.isAnswering.peek() || !this.messages.peek().includes(question)) return;
    const edited: Question = { ...question, text };
    const change = (messages: readonly Message[]) => [
      ...messages.slice(0, messages.indexOf(question)),
      edited,
    ];
    this.#answer(edited, change, 'submit-message', edited.id);
  }

  /**
   * Reports whether a question can be edited. The service finds only the newest messages, and messages up to the end of a handoff are
   * final.
   */
  canEdit(at: number): boolean {
    const isRecent = this.messages.value.length - at < MAX_EDITABLE;
    return isRecent && !this.isAnswering.value && this.handoff.value === null;
  }

  /**
   * Replaces an answer with a new one for the same question. If the connection was lost during the answer, loads the stored answer
   * instead, which may be complete or still in progress.
   */
  regenerate(answer: Answer): void {
    if (answer.id && this.conversationId.peek() && answer.view.peek().failure === OFFLINE) {
      this.reopen();
      return;
    }
    const before = (messages: readonly Message[]) => messages.slice(0, messages.indexOf(answer));
    const question = before(this.messages.peek()).at(-1);
    if (this.isAnswering.peek() || question?.role !== 'user') return;
    this.#answer(question, before, 'regenerate-message');
  }

  stop(): void {
    if (this.#running === null) return;
    this.#running.abort();
    // An answer that can be resumed continues when its client disconnects.
    const path = `/chat/${this.chatId}/stream`;
    if (this.#deps.isHistoryOn()) void this.#deps.api.send({ method: 'DELETE', path });
  }

  startNew(): void {
    this.stop();
    this.handoff.value = null;
    this.earlier.value = null;
    this.messages.value = [];
    this.#opened = {};
    this.#loading = undefined;
    this.chatId = randomId();
    this.conversationId.value = null;
    this.isContinued.value = false;
    this.loadState.value = 'idle';
  }

  async open(id: string): Promise<void> {
    this.startNew();
    this.chatId = id;
    this.conversationId.value = id;
    await this.#reload(id);
  }

  /** Loads the messages before the first message. Resolves to `null`, or to the reason why loading failed. */
  async loadEarlier(): Promise<Failure | null> {
    const id = this.conversationId.peek();
    return id === null ? null : this.#loadMessages(id, this.earlier.peek());
  }

  /** Loads the stored conversation again. Keeps the ID of the chat, to which files can be attached. */
  reopen(): void {
    const id = this.conversationId.peek();
    if (id === null) return;
    this.stop();
    void this.#reload(id);
  }

  /** Shows the stored messages, and resumes the answer in progress, if there is one. */
  async #reload(id: string): Promise<void> {
    if (!(await this.#load(id, []))) return;
    // An answer that is being regenerated still has its earlier version.
    const before = (all: readonly Message[]) =>
      all.at(-1)?.role === 'assistant' ? all.slice(0, -1) : all;
    await this.#stream(() => ({ method: 'GET', path: `/chat/${id}/stream` }), before, null);
  }

  /** Replaces the messages by the newest stored ones and `last`. Resolves to `true` if they are shown. */
  async #load(id: string, last: readonly Message[]): Promise<boolean> {
    const opened = {};
    this.#opened = opened;
    this.loadState.value = 'loading';
    const loading = this.#loadMessages(id, null, this.messages.peek(), last);
    this.#loading = loading;
    const failure = await loading;
    if (this.#opened !== opened) return false;
    this.loadState.value = failure ?? 'idle';
    if (failure === null) this.isContinued.value = this.messages.peek().length > 0;
    return failure === null;
  }

  /** Adds stored messages before the shown ones, except `replaced`, which stay if loading fails. */
  async #loadMessages(
    id: string,
    before: string | null,
    replaced: readonly Message[] = [],
    last: readonly Message[] = [],
  ): Promise<Failure | null> {
    const opened = this.#opened;
    const found = await import('./stored-messages.ts').then(
      (module) => module.readStoredMessages(this.#deps.api, id, before),
      () => OFFLINE,
    );
    if (isFailure(found)) return found;
    if (this.#opened === opened) {
      const shown = this.messages.peek().filter((message) => !replaced.includes(message));
      this.messages.value = [...found.messages, ...shown, ...last];
      this.earlier.value = found.earlier;
      this.handoff.value = found.handoff;
    }
    return null;
  }

  #end(running: AbortController): void {
    if (this.#running !== running) return;
    this.#running = null;
    this.isAnswering.value = false;
  }

  #answer(
    question: Question,
    before: (messages: readonly Message[]) => readonly Message[],
    trigger: Asking['trigger'],
    messageId?: string,
  ): void {
    const running = new AbortController();
    const isStored = this.#deps.isHistoryOn();
    const shown = this.messages.peek();
    const sent = isStored ? [question] : before(shown);
    const loaded = this.#loading;
    const asking: Asking = { question, sent, shown, trigger, messageId, isStored, loaded };
    void this.#stream((module) => module.prepare(this, asking, running.signal), before, running);
  }

  /**
   * Shows an answer while it streams.
   *
   * @param before returns the messages before the answer.
   * @param asked aborts the answer to a new question. `null` resumes an answer, if there is one. Then the messages change only when the
   *   first part arrives.
   */
  async #stream(
    call: (module: typeof import('./send-question.ts')) => Call | Promise<Call | null>,
    before: (messages: readonly Message[]) => readonly Message[],
    asked: AbortController | null,
  ): Promise<void> {
    const answer = newAnswer();
    const isResumed = asked === null;
    answer.isResumed = isResumed;
    const running = asked ?? new AbortController();
    const opened = this.#opened;
    let isShown = false;
    const show = () => {
      isShown = true;
      this.#running = running;
      this.isAnswering.value = true;
      const isSilent = this.handoff.peek()?.endedAt === null;
      const messages = before(this.messages.peek());
      this.messages.value = isSilent ? messages : [...messages, answer];
    };
    if (!isResumed) show();
    const view = new ThrottledSignal(answer.view);
    const stopTimer = () => {
      clearTimeout(timer);
      answer.isSlow.value = false;
    };
    const startTimer = () => setTimeout(() => (answer.isSlow.value = true), SLOW_AFTER_MS);
    let timer = startTimer();
    try {
      const module = await import('./send-question.ts');
      for await (const event of module.sendQuestion(this.#deps.api, call(module), running.signal)) {
        if (!isShown) {
          if (event.kind !== 'started' || this.#opened !== opened || this.isAnswering.peek())
            return;
          show();
        }
        stopTimer();
        timer = startTimer();
        if (event.kind === 'started') {
          answer.id = event.messageId;
          if (this.#opened === opened && event.conversationId !== null)
            this.conversationId.value = event.conversationId;
        }
        view.update((before) => module.apply(before, event));
        if (event.kind !== 'failed') continue;
        if (event.hasLinkEnded) this.#deps.onLinkEnded();
        const id = this.conversationId.peek();
        if (event.failure.name === 'newer-question' && id && this.#opened === opened)
          // The service has not stored an edited question. Its new ID keeps it apart from the stored one.
          await this.#load(id, [...before([]).map((one) => ({ ...one, id: randomId() })), answer]);
      }
    } catch {
      view.update((before) =>
        running.signal.aborted
          ? { ...before, state: 'stopped' }
          : { ...before, state: 'failed', failure: OFFLINE },
      );
    } finally {
      stopTimer();
    }
    if (!isShown) return;
    view.flush();
    this.#end(running);
    const { state } = answer.view.peek();
    // The question was not sent.
    if (state === 'streaming' || state === 'hidden') return;
    const messages = this.messages.peek();
    // During a handoff, there is no answer. The person must see that the message was not sent.
    if (state !== 'finished' && this.#opened === opened && !messages.includes(answer))
      this.messages.value = [...messages, answer];
    this.host.send({ type: 'answer', state });
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
