import { ApiError } from '@gatehouse/contract';

export interface LinkWatchTimes {
  /** Milliseconds between the end of one check of a link and the start of the next. */
  readonly checkEveryMs: number;
  /** Access is denied if no check has succeeded for this many milliseconds. */
  readonly unconfirmedMs: number;
}

const TIMES: LinkWatchTimes = { checkEveryMs: 1000, unconfirmedMs: 10_000 };

export interface LinkWatch extends Disposable {
  /** Aborts when the link has ended or could not be confirmed for `unconfirmedMs`. */
  readonly signal: AbortSignal;
}

/**
 * Ends running answers when their link ends. Polls the link, because the link can expire and another replica can revoke it. All
 * answers of one link share one poll, which has at most one query in flight. A failed query is retried. If no query succeeds
 * for `unconfirmedMs`, the answers end: when in doubt, deny.
 */
export class LinkWatches<Link extends { readonly linkId: string }> {
  readonly #requireActiveLink: (link: Link) => Promise<void>;
  readonly #times: LinkWatchTimes;
  readonly #polls = new Map<string, LinkPoll>();

  /** @param requireActiveLink rejects with an `ApiError` if the link has ended, and with any other error if its state is unknown. */
  constructor(requireActiveLink: (link: Link) => Promise<void>, times = TIMES) {
    this.#requireActiveLink = requireActiveLink;
    this.#times = times;
  }

  watch(link: Link): LinkWatch {
    const poll = this.#polls.get(link.linkId) ?? this.#start(link);
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

  #start(link: Link): LinkPoll {
    const poll = new LinkPoll({
      ...this.#times,
      requireActiveLink: () => this.#requireActiveLink(link),
      onStopped: () => this.#polls.delete(link.linkId),
    });
    this.#polls.set(link.linkId, poll);
    return poll;
  }
}

interface LinkPollOptions extends LinkWatchTimes {
  readonly requireActiveLink: () => Promise<void>;
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
      await this.#options.requireActiveLink();
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
