import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestServer } from '../http/test-server.ts';
import { type Behaviour as Embed, sendVectors } from './embedding-model.ts';

export type Behaviour =
  /** Answers with these pieces, with a pause before each. */
  | { readonly does: 'answer'; readonly pieces: Pieces; readonly pauseMs?: number }
  /** Ends an answer with a finish reason other than `stop`. */
  | { readonly does: 'finish'; readonly pieces: readonly string[]; readonly reason: string }
  /** Calls the search tool once per query in one message. */
  | { readonly does: 'search'; readonly queries: readonly string[]; readonly says?: string }
  /** Calls these tools in one message. */
  | { readonly does: 'call'; readonly calls: readonly CalledTool[] }
  /** Sends these pieces and leaves the response open. If there are no pieces, sends no response headers. */
  | { readonly does: 'stall'; readonly pieces?: readonly string[] }
  /** Sends these pieces and closes the connection. If there are no pieces, sends no response headers. */
  | { readonly does: 'drop'; readonly pieces?: readonly string[] }
  /** Sends reasoning in ten parts over this time before the answer. */
  | { readonly does: 'reason'; readonly forMs: number; readonly pieces: readonly string[] }
  /** Responds with this status and body, and with `Location: to` if `to` is given. */
  | {
      readonly does: 'status';
      readonly status: number;
      readonly body?: string;
      readonly to?: string;
    }
  /** Sends these bytes as the response, `atATime` bytes per write. */
  | {
      readonly does: 'send';
      readonly bytes: string | Uint8Array;
      readonly atATime?: number;
      readonly type?: string;
    }
  /** Sends an endless answer. With `line`, the answer is a single endless line. */
  | { readonly does: 'flood'; readonly with: 'text' | 'reasoning' | 'line' };

export interface CalledTool {
  readonly name: string;
  /** An object, or the JSON text to send. */
  readonly input: object | string;
}

export type Pieces = Iterable<string> | AsyncIterable<string>;

/** Determines the behaviour for a request. The index of the first request is 0. */
export type Decide = (request: ModelRequest, index: number) => Behaviour | Promise<Behaviour>;

export interface ModelMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly unknown[];
}

export interface ModelRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly string[];
  readonly toolChoice: unknown;
  /** `true` if the request has the parameter `stream_options`. */
  readonly hasStreamOptions: boolean;
  readonly text: string;
  /** Resolves when the response has ended: `true` if it was sent completely, `false` if the client closed the connection. */
  readonly ended: Promise<boolean>;
}

export interface FakeModel extends AsyncDisposable {
  readonly url: string;
  readonly requests: ModelRequest[];
  behave(next: Behaviour | Decide): void;
  /** Forgets recorded requests. Calls these tools in the next response and answers `The end.` after their results. */
  callOnce(...calls: readonly CalledTool[]): void;
  /** Returns the results of tools that the last request contains. */
  toolResults(): string[];
  /** Clears the recorded requests and restores the default answer, `Yes.`. */
  reset(): void;
}

/**
 * Behaves like a server with a strict chat template: rejects a request unless its roles are an optional `system`, then
 * alternately `user` and `assistant`, and last `user`. A tool result must follow the assistant message that called the tool.
 */
export function strict(decide: Behaviour | Decide): Decide {
  return (request, index) => {
    if (hasStrictRoles(request))
      return typeof decide === 'function' ? decide(request, index) : decide;
    const message = 'Conversation roles must alternate user/assistant/user/assistant/...';
    return { does: 'status', status: 400, body: JSON.stringify({ error: { message } }) };
  };
}

function hasStrictRoles({ messages }: ModelRequest): boolean {
  const shape = messages.map(({ role, content, tool_calls: calls = [] }) => {
    if (role === 'assistant' && calls.length > 0) return `c${calls.length}`;
    return content?.trim() ? role.charAt(0) : '?';
  });
  return /^s?u(?:(?:c\d+t+)*au)*(?:c\d+t+)*$/.test(shape.join(''));
}

export const USAGE = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

const YES: Behaviour = { does: 'answer', pieces: ['Yes.'] };

/** @param embed computes vectors. Without it, the model has no route for embeddings. */
export async function startFakeModel(embed: Embed | null = null): Promise<FakeModel> {
  const requests: ModelRequest[] = [];
  let decide: Decide = () => YES;
  const server = await startTestServer(async (incoming, response) => {
    response.on('error', () => {});
    if (embed !== null && incoming.url === '/v1/embeddings')
      return void (await sendVectors(incoming, response, embed));
    const request = await read(incoming, response);
    requests.push(request);
    try {
      await run(await decide(request, requests.length - 1), response);
    } catch {
      response.destroy();
    }
  });
  return {
    url: `${server.origin}/v1`,
    requests,
    behave: (next) => {
      decide = typeof next === 'function' ? next : () => next;
    },
    callOnce: (...calls) => {
      requests.length = 0;
      decide = ({ messages }) =>
        messages.at(-1)?.role === 'tool'
          ? { does: 'answer', pieces: ['The end.'] }
          : { does: 'call', calls };
    },
    toolResults: () =>
      (requests.at(-1)?.messages ?? [])
        .filter(({ role }) => role === 'tool')
        .map(({ content }) => content ?? ''),
    reset: () => {
      requests.length = 0;
      decide = () => YES;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
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
    hasStreamOptions: body.stream_options !== undefined,
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
      await sendPieces(response, behaviour.pieces, 0);
      // Waits until the written data is sent before the connection is closed.
      await sleep(20);
      return void response.destroy();
    case 'stall':
      if (behaviour.pieces !== undefined) await sendPieces(response, behaviour.pieces, 0);
      return;
    case 'search':
      if (behaviour.says !== undefined) await sendPieces(response, [behaviour.says], 0);
      else startResponse(response);
      response.write(frame({ tool_calls: behaviour.queries.map(toolCall) }));
      return finish(response, 'tool_calls');
    case 'call':
      startResponse(response);
      response.write(frame({ tool_calls: behaviour.calls.map(callOf) }));
      return finish(response, 'tool_calls');
    case 'reason':
      startResponse(response);
      for (let part = 0; part < 10; part++) {
        response.write(frame({ reasoning_content: 'hm ' }));
        await sleep(behaviour.forMs / 10);
      }
      await sendPieces(response, behaviour.pieces, 0);
      return finish(response, 'stop');
    case 'finish':
      await sendPieces(response, behaviour.pieces, 0);
      return finish(response, behaviour.reason);
    case 'answer':
      await sendPieces(response, behaviour.pieces, behaviour.pauseMs ?? 0);
      return finish(response, 'stop');
  }
}

export function streamOf(pieces: readonly string[]): string {
  return framesOf(pieces) + endOf('stop');
}

/** Returns the bytes of a stream that contains these answer pieces but no end marker. */
export function framesOf(pieces: readonly string[]): string {
  return pieces.map((content) => frame({ content })).join('');
}

async function sendPieces(
  response: ServerResponse,
  pieces: Pieces,
  pauseMs: number,
): Promise<void> {
  startResponse(response);
  for await (const content of pieces) {
    if (pauseMs > 0) await sleep(pauseMs);
    response.write(frame({ content }));
  }
}

function startResponse(response: ServerResponse): void {
  if (response.headersSent) return;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
}

function finish(response: ServerResponse, reason: string): void {
  response.end(endOf(reason));
}

function endOf(reason: string): string {
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

function callOf({ name, input }: CalledTool, index: number): object {
  const called = { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) };
  return { index, id: `call_${index}`, type: 'function', function: called };
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
  startResponse(response);
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
