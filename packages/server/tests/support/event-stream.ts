import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FeedItem } from './events.ts';

export interface ListenOptions {
  readonly as: string;
  /** Begins with `?`. */
  readonly query?: string;
  readonly lastEventId?: string;
}

/** An event as a client of server-sent events is told of it. */
export interface HeardEvent {
  readonly lastEventId: string;
  readonly data: string;
}

/** An open stream of events, read as the HTML standard reads it. */
export interface OpenStream extends Disposable {
  readonly response: Response;
  /** What was heard so far. */
  readonly heard: readonly HeardEvent[];
  /** The place to resume from, moved also by what no event tells of. */
  lastEventId(): string;
  /** Comments, which programs do not see. */
  readonly comments: readonly string[];
  /** Ids of the first so many events, when they have come; fails when they do not within 20 seconds. */
  ids(count: number): Promise<string[]>;
  /** Resolves when the stream has ended; true when by an end and not by a broken connection. */
  readonly ended: Promise<boolean>;
}

const PATIENCE_MS = 20_000;

/** Opens `GET /events/stream`. */
export async function listen(
  url: string,
  { as, query = '', lastEventId }: ListenOptions,
): Promise<OpenStream> {
  const gone = new AbortController();
  const response = await fetch(`${url}/events/stream${query}`, {
    signal: gone.signal,
    headers: {
      authorization: `Bearer ${as}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
  });
  const reader = new StreamReader();
  const ended = readAll(response, reader);
  return {
    response,
    heard: reader.heard,
    comments: reader.comments,
    lastEventId: () => reader.lastEventId,
    ids: async (count) => {
      const end = performance.now() + PATIENCE_MS;
      while (reader.heard.length < count && performance.now() < end) await sleep(5);
      const ids = reader.heard.map(({ data }) =>
        String((JSON.parse(data) as FeedItem).event['id']),
      );
      assert.ok(ids.length >= count, `heard ${ids.length} of ${count} events`);
      return ids;
    },
    ended,
    [Symbol.dispose]: () => gone.abort(),
  };
}

async function readAll(response: Response, reader: StreamReader): Promise<boolean> {
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? [])
      reader.read(decoder.decode(chunk, { stream: true }));
    return true;
  } catch {
    return false;
  }
}

/** https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation */
export class StreamReader {
  readonly heard: HeardEvent[] = [];
  readonly comments: string[] = [];
  lastEventId = '';
  #rest = '';
  #id = '';
  #data: string[] = [];

  read(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#readLine(line);
  }

  #readLine(line: string): void {
    if (line === '') {
      this.#dispatch();
      return;
    }
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === '') this.comments.push(value);
    else if (name === 'id') this.#id = value;
    else if (name === 'data') this.#data.push(value);
  }

  #dispatch(): void {
    this.lastEventId = this.#id;
    if (this.#data.length > 0)
      this.heard.push({ lastEventId: this.#id, data: this.#data.join('\n') });
    this.#data = [];
  }
}
