import { ApiError } from '@gatehouse/contract';
import { permissionsChanged } from '../assistant.errors.ts';

export interface LinkWatchTimes {
  /** Milliseconds between the end of one check of a link and the start of the next. */
  readonly checkEveryMs: number;
  /** Access is denied if no check has succeeded for this many milliseconds. */
  readonly unconfirmedMs: number;
}

const TIMES: LinkWatchTimes = { checkEveryMs: 1000, unconfirmedMs: 10_000 };

export interface LinkWatch extends Disposable {
  /**
   * Aborts when the link has ended, the space's filter has changed, a document of the answer is no longer visible, or none of this could
   * be confirmed for `unconfirmedMs`.
   */
  readonly signal: AbortSignal;
}

/** The link of a running answer, with the space's filter at the start of the answer. */
export interface Watched {
  readonly linkId: string;
  /** JSON text, or `null` if the space had no filter. */
  readonly storedSpaceFilter: string | null;
}

export interface LinkChecks<Link> {
  /** Rejects with an `ApiError` if the link has ended or the filter has changed, and with any other error if this is unknown. */
  readonly confirm: (link: Link) => Promise<void>;
  /** Returns the documents among `ids` that the link can see. Needed for watchers with documents. */
  readonly visible?: (link: Link, ids: readonly string[]) => Promise<ReadonlyMap<string, unknown>>;
}

/** Returns the IDs of the documents that have been available to an answer so far. */
export type DocumentsOfAnswer = () => readonly string[];

/**
 * Ends running answers when their link ends, when the filter of their space changes, or when the link can no longer see a document that
 * was available to the answer. Polls, because the link can expire and another replica can make any of these changes. Answers that
 * started with the same link and filter share one poll, which has at most one query in flight. A failed query is retried. If no query
 * succeeds for `unconfirmedMs`, the answers end: when in doubt, deny.
 */
export class LinkWatches<Link extends Watched> {
  readonly #checks: LinkChecks<Link>;
  readonly #times: LinkWatchTimes;
  readonly #polls = new Map<string, LinkPoll>();

  constructor(checks: LinkChecks<Link>, times = TIMES) {
    this.#checks = checks;
    this.#times = times;
  }

  watch(link: Link, documents: DocumentsOfAnswer = () => []): LinkWatch {
    const key = JSON.stringify([link.linkId, link.storedSpaceFilter]);
    const poll = this.#polls.get(key) ?? this.#start(key, link);
    const watcher = { ended: new AbortController(), documents };
    poll.watchers.add(watcher);
    return {
      signal: watcher.ended.signal,
      [Symbol.dispose]: () => {
        poll.watchers.delete(watcher);
        if (poll.watchers.size === 0) poll.stop();
      },
    };
  }

  #start(key: string, link: Link): LinkPoll {
    const { confirm, visible = async () => new Map() } = this.#checks;
    const poll = new LinkPoll({
      ...this.#times,
      confirm: () => confirm(link),
      visible: (ids) => visible(link, ids),
      onStopped: () => this.#polls.delete(key),
    });
    this.#polls.set(key, poll);
    return poll;
  }
}

interface LinkPollOptions extends LinkWatchTimes {
  readonly confirm: () => Promise<void>;
  readonly visible: (ids: readonly string[]) => Promise<ReadonlyMap<string, unknown>>;
  readonly onStopped: () => void;
}

interface Watcher {
  readonly ended: AbortController;
  readonly documents: DocumentsOfAnswer;
}

class LinkPoll {
  readonly watchers = new Set<Watcher>();
  readonly #options: LinkPollOptions;
  #stopped = false;
  #next: NodeJS.Timeout;
  #deadline: NodeJS.Timeout;
  #lastError: unknown = null;

  constructor(options: LinkPollOptions) {
    this.#options = options;
    this.#next = this.#scheduleCheck();
    this.#deadline = this.#scheduleDeadline();
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
      await this.#endHidden();
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

  /** Ends the answers to which a document was available that is no longer visible. */
  async #endHidden(): Promise<void> {
    const watched = [...this.watchers].map(({ ended, documents }) => ({ ended, ids: documents() }));
    const ids = new Set(watched.flatMap((watcher) => watcher.ids));
    if (ids.size === 0 || this.#stopped) return;
    const visible = await this.#options.visible([...ids]);
    for (const { ended, ids: needed } of watched)
      if (!needed.every((id) => visible.has(id))) ended.abort(permissionsChanged());
  }

  #end(reason: Error): void {
    this.stop();
    for (const { ended } of this.watchers) ended.abort(reason);
  }
}
