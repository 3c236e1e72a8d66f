import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FeedItem } from './events.ts';

export interface ListenOptions {
  readonly as: string;
  /** Query string with the leading `?`. */
  readonly query?: string;
  readonly lastEventId?: string;
}

export interface ReceivedEvent {
  readonly lastEventId: string;
  readonly data: string;
}

export interface OpenStream extends Disposable {
  readonly response: Response;
  readonly received: readonly ReceivedEvent[];
  /** Returns the ID to resume from. Stream events without data also update this ID. */
  lastEventId(): string;
  readonly comments: readonly string[];
  /** Waits until `count` events have arrived, for at most 20 seconds. Returns the IDs of all received events. */
  ids(count: number): Promise<string[]>;
  /** Resolves when the stream ends: `true` for a regular end, `false` for a broken connection. */
  readonly ended: Promise<boolean>;
}

const WAIT_MS = 20_000;

export async function listen(
  url: string,
  { as, query = '', lastEventId }: ListenOptions,
): Promise<OpenStream> {
  const controller = new AbortController();
  const response = await fetch(`${url}/events/stream${query}`, {
    signal: controller.signal,
    headers: {
      authorization: `Bearer ${as}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
  });
  const reader = new StreamReader();
  const ended = readAll(response, reader);
  return {
    response,
    received: reader.received,
    comments: reader.comments,
    lastEventId: () => reader.lastEventId,
    ids: async (count) => {
      const end = performance.now() + WAIT_MS;
      while (reader.received.length < count && performance.now() < end) await sleep(5);
      const ids = reader.received.map(({ data }) =>
        String((JSON.parse(data) as FeedItem).event['id']),
      );
      assert.ok(ids.length >= count, `received ${ids.length} of ${count} events`);
      return ids;
    },
    ended,
    [Symbol.dispose]: () => controller.abort(),
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
  readonly received: ReceivedEvent[] = [];
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
      this.received.push({ lastEventId: this.#id, data: this.#data.join('\n') });
    this.#data = [];
  }
}
