import { ApiError } from '@gatehouse/contract';

export interface LinkWatchTimes {
  /** Milliseconds between the end of one check of a link and the start of the next. */
  readonly checkEveryMs: number;
  /** Access is denied if no check has succeeded for this many milliseconds. */
  readonly unconfirmedMs: number;
}

const TIMES: LinkWatchTimes = { checkEveryMs: 1000, unconfirmedMs: 10_000 };

export interface LinkWatch extends Disposable {
  /** Aborts when the link has ended, the space's filter has changed, or neither could be confirmed for `unconfirmedMs`. */
  readonly signal: AbortSignal;
}

/** The link of a running answer, with the space's filter at the start of the answer. */
export interface Watched {
  readonly linkId: string;
  /** JSON text, or `null` if the space had no filter. */
  readonly storedSpaceFilter: string | null;
}

/**
 * Ends running answers when their link ends or the filter of their space changes. Polls the link, because the link can expire and
 * another replica can revoke it or change the filter. Answers that started with the same link and filter share one poll, which has
 * at most one query in flight. A failed query is retried. If no query succeeds for `unconfirmedMs`, the answers end: when in doubt,
 * deny.
 */
export class LinkWatches<Link extends Watched> {
  readonly #confirm: (link: Link) => Promise<void>;
  readonly #times: LinkWatchTimes;
  readonly #polls = new Map<string, LinkPoll>();

  /**
   * @param confirm rejects with an `ApiError` if the link has ended or the filter has changed, and with any other error if this is
   *   unknown.
   */
  constructor(confirm: (link: Link) => Promise<void>, times = TIMES) {
    this.#confirm = confirm;
    this.#times = times;
  }

  watch(link: Link): LinkWatch {
    const key = JSON.stringify([link.linkId, link.storedSpaceFilter]);
    const poll = this.#polls.get(key) ?? this.#start(key, link);
    poll.watchers += 1;
    let open = true;
    return {
      signal: poll.signal,
      [Symbol.dispose]: () => {
        if (!open) return;
        open = false;
        poll.watchers -= 1;
        if (poll.watchers === 0) poll.stop();
      },
    };
  }

  #start(key: string, link: Link): LinkPoll {
    const poll = new LinkPoll({
      ...this.#times,
      confirm: () => this.#confirm(link),
      onStopped: () => this.#polls.delete(key),
    });
    this.#polls.set(key, poll);
    return poll;
  }
}

interface LinkPollOptions extends LinkWatchTimes {
  readonly confirm: () => Promise<void>;
  readonly onStopped: () => void;
}

class LinkPoll {
  watchers = 0;
  readonly #options: LinkPollOptions;
  readonly #ended = new AbortController();
  #stopped = false;
  #next: NodeJS.Timeout;
  #deadline: NodeJS.Timeout;
  #lastError: unknown = null;

  constructor(options: LinkPollOptions) {
    this.#options = options;
    this.#next = this.#scheduleCheck();
    this.#deadline = this.#scheduleDeadline();
  }

  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    clearTimeout(this.#next);
    clearTimeout(this.#deadline);
    this.#options.onStopped();
  }

  #scheduleCheck(): NodeJS.Timeout {
    return setTimeout(() => void this.#check(), this.#options.checkEveryMs).unref();
  }

  #scheduleDeadline(): NodeJS.Timeout {
    const { unconfirmedMs } = this.#options;
    return setTimeout(() => {
      const message = `the link could not be confirmed for ${unconfirmedMs} ms`;
      this.#end(new Error(message, { cause: this.#lastError }));
    }, unconfirmedMs).unref();
  }

  async #check(): Promise<void> {
    try {
      await this.#options.confirm();
      if (this.#stopped) return;
      clearTimeout(this.#deadline);
      this.#deadline = this.#scheduleDeadline();
    } catch (error) {
      if (this.#stopped) return;
      if (error instanceof ApiError) return this.#end(error);
      this.#lastError = error;
    }
    this.#next = this.#scheduleCheck();
  }

  #end(reason: Error): void {
    this.stop();
    this.#ended.abort(reason);
  }
}
