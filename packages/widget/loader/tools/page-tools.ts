import {
  MAX_PAGE_TOOL_RESULT_LENGTH,
  MAX_TOOL_DESCRIPTION_LENGTH,
  MAX_TOOL_TITLE_LENGTH,
  type PageToolDefinition,
  pageToolProblems,
  TOOL_NAME_PATTERN,
} from '@gatehouse/contract/page-tools';
import {
  PAGE_TOOL_MESSAGES,
  type PageToolMessage,
  readMessage,
  type ToFrame,
} from '../../protocol/messages.ts';

/** Maximum duration of a call. Less than the time after which the service stops waiting. */
const CALL_TIMEOUT_MS = 25_000;
const MAX_MESSAGE_LENGTH = 1000;
const CUT_OFF = '… (cut off)';

/** A tool that the page registers. */
export interface PageTool extends Omit<PageToolDefinition, 'inputSchema'> {
  /** JSON Schema of the arguments. Default: no arguments. */
  readonly inputSchema?: PageToolDefinition['inputSchema'];
  /**
   * Runs the tool. The arguments come from a model and match the schema. The result becomes text for the model: a string as it is,
   * other values as JSON. The signal aborts when the answer ends or the call takes too long.
   */
  readonly run: (input: object, call: { readonly signal: AbortSignal }) => unknown;
}

interface Registered {
  readonly definition: PageToolDefinition;
  readonly run: PageTool['run'];
}

/** The connection to the frame. */
export interface FrameChannel {
  readonly send: (message: ToFrame) => void;
  /** Reports whether an event comes from the window and the origin of the frame. */
  readonly isFromFrame: (event: MessageEvent) => boolean;
}

/** The tools of the page, and their running calls. */
export class PageTools {
  readonly #channel: FrameChannel;
  readonly #tools = new Map<string, Registered>();
  readonly #calls = new Map<string, AbortController>();

  constructor(channel: FrameChannel) {
    this.#channel = channel;
    window.addEventListener('message', (event) => {
      if (!channel.isFromFrame(event)) return;
      const message = readMessage<PageToolMessage>(event.data, PAGE_TOOL_MESSAGES);
      if (message?.type === 'tool-call') void this.#call(message);
      else if (message !== null) this.#calls.get(message.id)?.abort(new Error('The answer ended.'));
    });
  }

  get definitions(): readonly PageToolDefinition[] {
    return [...this.#tools.values()].map(({ definition }) => definition);
  }

  /**
   * Adds a tool. Replaces the tool with the same name.
   *
   * @param options.signal removes the tool when it aborts.
   * @throws {TypeError} if the tool is not valid. Then nothing changes.
   */
  register(tool: unknown, options?: { readonly signal?: AbortSignal }): void {
    const { run } = (tool ?? {}) as Partial<PageTool>;
    const definition = definitionOf(tool);
    const problems = [
      ...(typeof run === 'function' ? [] : ['run must be a function']),
      ...problemsOf(definition),
    ];
    const others = this.definitions.filter(({ name }) => name !== definition.name);
    if (problems.length === 0)
      problems.push(...pageToolProblems([definition, ...others]).map((text) => `tools${text}`));
    if (problems.length > 0) throw new TypeError(`registerTool: ${problems.join('; ')}`);
    const { signal } = options ?? {};
    if (signal?.aborted) return;
    const registered = { definition, run: run as PageTool['run'] };
    this.#tools.set(definition.name, registered);
    signal?.addEventListener('abort', () => {
      // Another tool may have replaced this one.
      if (this.#tools.get(definition.name) !== registered) return;
      this.#tools.delete(definition.name);
      this.#channel.send({ type: 'tools', tools: this.definitions });
    });
  }

  async #call({ id, name, input }: Extract<PageToolMessage, { type: 'tool-call' }>): Promise<void> {
    if (this.#calls.has(id)) return;
    const ended = new AbortController();
    this.#calls.set(id, ended);
    const timer = setTimeout(
      () => ended.abort(new Error(`No result within ${CALL_TIMEOUT_MS / 1000} seconds.`)),
      CALL_TIMEOUT_MS,
    );
    try {
      const tool = this.#tools.get(name);
      if (tool === undefined) throw new Error('The page has no tool with this name.');
      const text = textOf(await Promise.race([tool.run(input, ended), aborted(ended.signal)]));
      this.#channel.send({ type: 'tool-result', id, outcome: 'succeeded', text });
    } catch (error) {
      console.warn('Gatehouse: tool', name, error);
      const text = `The tool failed: ${messageOf(error)}`;
      this.#channel.send({ type: 'tool-result', id, outcome: 'failed', text });
    } finally {
      clearTimeout(timer);
      this.#calls.delete(id);
    }
  }
}

/** Copies the definition of a tool through JSON, because `postMessage` rejects functions and the proxies of frameworks. */
function definitionOf(tool: unknown): PageToolDefinition {
  const { name, title, description, inputSchema, harmless } = (tool ?? {}) as Partial<PageTool>;
  const none = { type: 'object', properties: {}, additionalProperties: false };
  return JSON.parse(
    JSON.stringify({
      name,
      title,
      description,
      inputSchema: inputSchema ?? none,
      harmless: harmless === true,
    }),
  );
}

function problemsOf({ name, title, description }: Partial<PageToolDefinition>): string[] {
  const isName = typeof name === 'string' && new RegExp(TOOL_NAME_PATTERN).test(name);
  return [
    ...(isName ? [] : [`name must match ${TOOL_NAME_PATTERN}`]),
    ...textProblems('description', description, MAX_TOOL_DESCRIPTION_LENGTH),
    ...(title === undefined ? [] : textProblems('title', title, MAX_TOOL_TITLE_LENGTH)),
  ];
}

function textProblems(name: string, text: unknown, maxLength: number): string[] {
  const isValid =
    typeof text === 'string' &&
    text !== '' &&
    text.length <= maxLength &&
    text.isWellFormed() &&
    !text.includes('\0');
  return isValid ? [] : [`${name} must be a text of 1 to ${maxLength} characters`];
}

/** Returns the text of a result, cut to the maximum length. */
function textOf(result: unknown): string {
  const text = typeof result === 'string' ? result : (JSON.stringify(result) ?? '');
  if (text.length <= MAX_PAGE_TOOL_RESULT_LENGTH) return text;
  return text.slice(0, MAX_PAGE_TOOL_RESULT_LENGTH - CUT_OFF.length) + CUT_OFF;
}

function messageOf(error: unknown): string {
  return String(error instanceof Error ? error.message : error).slice(0, MAX_MESSAGE_LENGTH);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}
