import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IngestResult } from '@gatehouse/contract';
import { type RawAnswer, readAnswer } from '../http/raw-http.ts';
import { listen, type OpenStream, type ReceivedEvent } from './event-stream.ts';
import { type FeedItem, makeEvents } from './events.ts';

/** Pause between requests, which leaves processor time for the restarts. */
const PAUSE_MS = 20;

export interface Site {
  readonly key: string;
  readonly linkToken: string;
}

/** Sends requests sequentially over one kept-alive connection, without retries, until stopped. */
export class SteadyClient implements AsyncDisposable {
  readonly sent: string[] = [];
  readonly failures: string[] = [];
  requests = 0;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #port: number;
  readonly #site: Site;
  #stopped = false;
  readonly #running: Promise<void>;

  constructor(port: number, site: Site) {
    this.#port = port;
    this.#site = site;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
    this.#agent.destroy();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #run(): Promise<void> {
    const { key, linkToken } = this.#site;
    while (!this.#stopped) {
      const events = makeEvents(5);
      const accepted = await this.#send('POST', '/events', { events }, key);
      if (accepted !== null) this.sent.push(...(accepted as unknown as IngestResult).eventIds);
      await this.#send('POST', '/assistant-link/exchange', { linkToken });
      await this.#send('POST', '/assistant-link', { ttlSeconds: 3600 }, key);
      await this.#send('GET', '/events?limit=1', undefined, key);
      await sleep(PAUSE_MS);
    }
  }

  async #send(method: string, path: string, body?: object, as?: string): Promise<object | null> {
    this.requests += 1;
    try {
      const answer = await this.#answerTo(method, path, body, as);
      if (answer.status === 200) return JSON.parse(answer.body);
      this.failures.push(`${method} ${path}: ${answer.status} ${answer.body}`);
    } catch (error) {
      this.failures.push(`${method} ${path}: ${error}`);
    }
    return null;
  }

  #answerTo(method: string, path: string, body?: object, as?: string): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const outgoing = request({
        host: '127.0.0.1',
        port: this.#port,
        agent: this.#agent,
        method,
        path,
        headers: {
          ...(as === undefined ? {} : { authorization: `Bearer ${as}` }),
          ...(text === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        },
      });
      outgoing.on('error', reject);
      outgoing.on('response', (incoming: IncomingMessage) =>
        readAnswer(incoming).then(resolve, reject),
      );
      outgoing.end(text);
    });
  }
}

/** Listens to the live stream and reconnects whenever the stream ends, as a browser does. */
export class SteadyListener implements AsyncDisposable {
  readonly #received: ReceivedEvent[] = [];
  readonly failures: string[] = [];
  openings = 0;
  readonly #running: Promise<void>;
  #stopped = false;
  #stream: OpenStream | null = null;

  constructor(url: string, key: string) {
    this.#running = this.#run(url, key);
  }

  get count(): number {
    return this.#received.length + (this.#stream?.received.length ?? 0);
  }

  get heard(): string[] {
    const all = [...this.#received, ...(this.#stream?.received ?? [])];
    return all.map(({ data }) => String((JSON.parse(data) as FeedItem).event['id']));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stream?.[Symbol.dispose]();
    await this.#running;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #run(url: string, key: string): Promise<void> {
    let lastEventId = '';
    while (!this.#stopped) {
      const options = lastEventId === '' ? { query: '?after=MA' } : { lastEventId };
      const stream = await listen(url, { as: key, ...options });
      this.#stream = stream;
      this.openings += 1;
      if (stream.response.status !== 200) {
        this.failures.push(`${stream.response.status}`);
        await sleep(PAUSE_MS);
      }
      const ended = await stream.ended;
      if (!ended && !this.#stopped) this.failures.push('a stream was interrupted');
      this.#stream = null;
      this.#received.push(...stream.received);
      lastEventId = stream.lastEventId() || lastEventId;
    }
  }
}
