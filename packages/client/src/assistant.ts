import { Connection } from './http/connection.ts';
import { isTransient } from './http/retry.ts';
import type { GatehouseOptions, RequestOptions } from './options.ts';
import { Documents } from './resources/knowledge/documents.ts';
import { Chat } from './resources/links/chat.ts';
import { Conversations } from './resources/links/conversations.ts';
import { Links } from './resources/links/links.ts';
import type { FoundPassage, SearchRequest, WidgetSession } from './types.ts';

export interface AssistantOptions extends Omit<GatehouseOptions, 'apiKey' | 'token' | 'spaceId'> {
  /** Token of the access link: the last segment of its URL. */
  readonly linkToken: string;
}

/** Maximum time in milliseconds before the expiry of a widget session at which the client renews it. */
const RENEW_BEFORE_MS = 60_000;
/** Maximum part of the time of a session that remains at its renewal. */
const RENEW_BEFORE_PART = 0.2;

/**
 * A client of one access link, for a page with its own chat. It has all operations that a widget session permits, and is
 * smaller than `Gatehouse`.
 *
 * @example
 * const assistant = await Assistant.open({ url, linkToken });
 * const { items } = await assistant.search({ query: 'refund' });
 */
export class Assistant {
  readonly chat: Chat;
  readonly conversations: Conversations;
  readonly documents: Pick<Documents, 'download' | 'get' | 'list' | 'listPassages'>;
  /** The widget session with the name, greeting and suggestions of the assistant. */
  readonly session: WidgetSession;
  readonly #api: Connection;
  readonly #token: () => Promise<string>;

  private constructor(api: Connection, session: WidgetSession, token: () => Promise<string>) {
    this.#api = api;
    this.#token = token;
    this.session = session;
    this.chat = new Chat(api);
    this.conversations = new Conversations(api);
    this.documents = new Documents(api);
  }

  /**
   * Exchanges the token of a link for a widget session. The client renews the session before it expires. `signal` cancels the
   * exchange.
   *
   * @throws {GoneError} if the link has expired or was revoked.
   * @example
   * const assistant = await Assistant.open({ url, linkToken });
   * for await (const part of assistant.chat.ask('How long does a refund take?')) {
   *   if (part.type === 'text-delta') console.log(part.delta);
   * }
   */
  static async open(
    { linkToken, ...options }: AssistantOptions,
    { signal }: Pick<RequestOptions, 'signal'> = {},
  ): Promise<Assistant> {
    const links = new Links(new Connection(options));
    let renewAt = 0;
    let expiresAt = 0;
    const time = newTime();
    const exchange = async (own?: RequestOptions) => {
      const session = await links.exchange(linkToken, own);
      const lifetime = session.expiresIn * 1000;
      expiresAt = time() + lifetime;
      renewAt = expiresAt - Math.min(RENEW_BEFORE_MS, lifetime * RENEW_BEFORE_PART);
      return session;
    };
    const first = await exchange({ signal });
    let { accessToken } = first;
    let renewal: Promise<void> | undefined;
    const renew = async () => {
      try {
        ({ accessToken } = await exchange());
      } catch (error) {
        const now = time();
        if (!isTransient(error) || now >= expiresAt) throw error;
        // The session is still valid. The next attempt follows halfway to its expiry.
        renewAt = (now + expiresAt) / 2;
      } finally {
        renewal = undefined;
      }
    };
    const token = async () => {
      if (time() >= renewAt) {
        renewal ??= renew();
        await renewal;
      }
      return accessToken;
    };
    const { spaceId } = first.jwtPayload;
    return new Assistant(new Connection({ ...options, token, spaceId }), first, token);
  }

  /**
   * Returns an access token that is valid now, for other libraries, such as `useChat` of the AI SDK. Call it before each request.
   *
   * @throws {GoneError} if the link has expired or was revoked.
   * @example
   * const headers = { authorization: `Bearer ${await assistant.accessToken()}` };
   */
  accessToken(): Promise<string> {
    return this.#token();
  }

  /**
   * Searches the documents that the link permits. The result contains the best passage first.
   *
   * @example
   * const { items } = await assistant.search({ query: 'how long does a refund take' });
   * for (const { title, snippet } of items) console.log(title, snippet);
   */
  search(request: SearchRequest, options?: RequestOptions): Promise<{ items: FoundPassage[] }> {
    return this.#api.send('POST /spaces/{spaceId}/search', { body: request, safe: true }, options);
  }
}

/**
 * Returns a function that returns a time in milliseconds that never goes back. The clock of the system can be set back, and the
 * monotonic clock of some browsers stops while a computer sleeps, so the faster of the two counts.
 */
function newTime(): () => number {
  let time = 0;
  let clock = Date.now();
  let monotonic = performance.now();
  return () => {
    const [now, ticks] = [Date.now(), performance.now()];
    time += Math.max(now - clock, ticks - monotonic);
    [clock, monotonic] = [now, ticks];
    return time;
  };
}
