import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What the fake model does with a request. */
export type Behaviour =
  /** Answers in these pieces, as they come, with a pause between them. */
  | { readonly does: 'answer'; readonly pieces: Pieces; readonly pauseMs?: number }
  /** Ends an answer for another reason than that it is complete. */
  | { readonly does: 'finish'; readonly pieces: readonly string[]; readonly reason: string }
  /** Asks for searches, in one message. */
  | { readonly does: 'search'; readonly queries: readonly string[]; readonly says?: string }
  /** Begins with these pieces and then says nothing more; without any it does not even begin. */
  | { readonly does: 'stall'; readonly pieces?: readonly string[] }
  /** Begins with these pieces and then breaks the connection; without any before it answers. */
  | { readonly does: 'drop'; readonly pieces?: readonly string[] }
  /** Thinks aloud for so long, in ten parts, and then answers. */
  | { readonly does: 'reason'; readonly forMs: number; readonly pieces: readonly string[] }
  /** Gives this status and body, and for one of 300 a `Location`. */
  | {
      readonly does: 'status';
      readonly status: number;
      readonly body?: string;
      readonly to?: string;
    }
  /** Sends these bytes as its answer, so many at a time. */
  | {
      readonly does: 'send';
      readonly bytes: string | Uint8Array;
      readonly atATime?: number;
      readonly type?: string;
    }
  /** Never stops answering; `line` in a single line that never ends. */
  | { readonly does: 'flood'; readonly with: 'text' | 'reasoning' | 'line' };

export type Pieces = Iterable<string> | AsyncIterable<string>;

/** What is to be done with a request, the first of which has the index 0. */
export type Decide = (request: ModelRequest, index: number) => Behaviour | Promise<Behaviour>;

export interface ModelMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly unknown[];
}

/** What the fake model was shown. */
export interface ModelRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  /** The names of the tools it may use. */
  readonly tools: readonly string[];
  readonly toolChoice: unknown;
  /** The body as it came. */
  readonly text: string;
  /** When the answer ended: `true` when all of it was sent, `false` when the caller closed the connection before. */
  readonly ended: Promise<boolean>;
}

export interface FakeModel extends AsyncDisposable {
  /** To be used as `GATEHOUSE_MODEL_URL`. */
  readonly url: string;
  /** All requests, oldest first. */
  readonly requests: ModelRequest[];
  /** Does this with every request from now on, or with each what the function says. */
  behave(next: Behaviour | Decide): void;
  /** Forgets the requests and answers `Yes.` again. */
  reset(): void;
}

/** Tokens that the fake model says each of its answers took. */
export const USAGE = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

const YES: Behaviour = { does: 'answer', pieces: ['Yes.'] };

/** A server that speaks the chat completions of OpenAI's API and does what it is told. */
export async function startFakeModel(): Promise<FakeModel> {
  const requests: ModelRequest[] = [];
  let decide: Decide = () => YES;
  const server = createServer(async (incoming, response) => {
    response.on('error', () => {});
    const request = await read(incoming, response);
    requests.push(request);
    try {
      await run(await decide(request, requests.length - 1), response);
    } catch {
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    behave: (next) => {
      decide = typeof next === 'function' ? next : () => next;
    },
    reset: () => {
      requests.length = 0;
      decide = () => YES;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function read(incoming: IncomingMessage, response: ServerResponse): Promise<ModelRequest> {
  const ended = new Promise<boolean>((resolve) => {
    response.on('close', () => resolve(response.writableFinished));
  });
  let text = '';
  for await (const piece of incoming.setEncoding('utf8')) text += piece;
  const body = JSON.parse(text);
  return {
    path: incoming.url ?? '',
    authorization: incoming.headers.authorization,
    model: body.model,
    messages: body.messages,
    tools: (body.tools ?? []).map((tool: { function: { name: string } }) => tool.function.name),
    toolChoice: body.tool_choice,
    text,
    ended,
  };
}

async function run(behaviour: Behaviour, response: ServerResponse): Promise<void> {
  switch (behaviour.does) {
    case 'status': {
      const { status, body = '', to } = behaviour;
      response.writeHead(status, {
        'content-type': 'application/json',
        ...(to === undefined ? {} : { location: to }),
      });
      response.end(body);
      return;
    }
    case 'send':
      return send(behaviour, response);
    case 'flood':
      return flood(behaviour.with, response);
    case 'drop':
      if (behaviour.pieces === undefined) return void response.destroy();
      await say(response, behaviour.pieces, 0);
      // What was written must leave before the connection ends.
      await sleep(20);
      return void response.destroy();
    case 'stall':
      if (behaviour.pieces !== undefined) await say(response, behaviour.pieces, 0);
      return;
    case 'search':
      if (behaviour.says !== undefined) await say(response, [behaviour.says], 0);
      else begin(response);
      response.write(frame({ tool_calls: behaviour.queries.map(toolCall) }));
      return finish(response, 'tool_calls');
    case 'reason':
      begin(response);
      for (let part = 0; part < 10; part++) {
        response.write(frame({ reasoning_content: 'hm ' }));
        await sleep(behaviour.forMs / 10);
      }
      await say(response, behaviour.pieces, 0);
      return finish(response, 'stop');
    case 'finish':
      await say(response, behaviour.pieces, 0);
      return finish(response, behaviour.reason);
    case 'answer':
      await say(response, behaviour.pieces, behaviour.pauseMs ?? 0);
      return finish(response, 'stop');
  }
}

/** A whole answer as the bytes of its stream. */
export function streamOf(pieces: readonly string[]): string {
  return framesOf(pieces) + ending('stop');
}

/** The beginning of an answer. */
export function framesOf(pieces: readonly string[]): string {
  return pieces.map((content) => frame({ content })).join('');
}

async function say(response: ServerResponse, pieces: Pieces, pauseMs: number): Promise<void> {
  begin(response);
  for await (const content of pieces) {
    if (pauseMs > 0) await sleep(pauseMs);
    response.write(frame({ content }));
  }
}

function begin(response: ServerResponse): void {
  if (response.headersSent) return;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
}

function finish(response: ServerResponse, reason: string): void {
  response.end(ending(reason));
}

function ending(reason: string): string {
  return `${frame({}, reason)}data: ${JSON.stringify({ ...HEAD, choices: [], usage: USAGE })}\n\ndata: [DONE]\n\n`;
}

const HEAD = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'fake' };

function frame(delta: object, reason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: reason }];
  return `data: ${JSON.stringify({ ...HEAD, choices })}\n\n`;
}

function toolCall(query: string, index: number): object {
  const call = { name: 'search', arguments: JSON.stringify({ query }) };
  return { index, id: `call_${index}_${query.length}`, type: 'function', function: call };
}

async function send(
  { bytes, atATime, type = 'text/event-stream' }: Behaviour & { does: 'send' },
  response: ServerResponse,
): Promise<void> {
  const all = Buffer.from(bytes as string);
  response.writeHead(200, { 'content-type': type });
  response.socket?.setNoDelay(true);
  const size = atATime ?? all.length;
  for (let at = 0; at < all.length; at += size) {
    response.write(all.subarray(at, at + size));
    if (atATime !== undefined) await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
}

async function flood(kind: 'text' | 'reasoning' | 'line', response: ServerResponse): Promise<void> {
  begin(response);
  const words = 'on and on '.repeat(100);
  const pieces = {
    text: frame({ content: words }),
    reasoning: frame({ reasoning_content: words }),
    line: words,
  };
  if (kind === 'line') response.write('data: ');
  while (!response.destroyed) {
    if (response.write(pieces[kind])) await new Promise((resolve) => setImmediate(resolve));
    else await Promise.race(['drain', 'close'].map((event) => onceOf(response, event)));
  }
}

function onceOf(response: ServerResponse, event: string): Promise<void> {
  return new Promise((resolve) => response.once(event, () => resolve()));
}
