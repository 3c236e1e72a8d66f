import type { AnswerPart, AnswerTool, Question } from '../answerer.ts';
import { dataBlock } from './prompt.ts';
import type { ModelTool } from './rounds.ts';
import type { Watch } from './watch.ts';

/** The calls of the bot's tools in one answer. Parts are reported while a call is running, so `news` tells when to take them. */
export class ToolCalls {
  /** `true` if the result of a tool is part of the prompt. */
  hasResult = false;
  readonly #tools: readonly AnswerTool[];
  readonly #watch: Watch;
  readonly #marker: string;
  #remaining: number;
  #parts: AnswerPart[] = [];
  #wake: (() => void) | null = null;

  /**
   * @param times maximum number of calls.
   * @param marker encloses results, which are untrusted.
   */
  constructor({ tools }: Pick<Question, 'tools'>, watch: Watch, marker: string, times: number) {
    this.#tools = times > 0 ? tools : [];
    this.#watch = watch;
    this.#marker = marker;
    this.#remaining = times;
  }

  get isEmpty(): boolean {
    return this.#tools.length === 0;
  }

  get hasPageTools(): boolean {
    return this.#tools.some(({ isOfPage }) => isOfPage === true);
  }

  /** Returns the tools by name. `AnswerTool.start` checks the arguments of their calls. */
  byName(): Readonly<Record<string, ModelTool>> {
    return Object.fromEntries(
      this.#tools.map((tool) => [
        tool.name,
        {
          description: tool.description,
          inputSchema: tool.inputSchema,
          execute: (input: unknown) => this.#call(tool, input),
        },
      ]),
    );
  }

  /** Resolves when there are parts to take. Each call replaces the promise of the previous one. */
  news(): Promise<undefined> {
    if (this.#parts.length > 0) return Promise.resolve(undefined);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#wake = () => resolve(undefined);
    return promise;
  }

  take(): readonly AnswerPart[] {
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  /** Calls a tool and returns the text for the model. */
  async #call(tool: AnswerTool, input: unknown): Promise<string> {
    if (this.#remaining-- <= 0) return 'No more calls of tools. Answer now.';
    const resume = this.#watch.pause();
    try {
      const started = await tool.start(input, this.#watch.signal);
      if ('problem' in started) return `The arguments are invalid: ${started.problem}`;
      const { call } = started;
      this.#report({ kind: 'tool-call', call });
      const { outcome, text } = await started.result();
      this.#report({ kind: 'tool-result', id: call.id, outcome });
      if (outcome === 'denied') return text;
      this.hasResult ||= outcome === 'succeeded';
      const label = `${outcome === 'failed' ? 'failure' : 'result'} of the tool ${tool.name}`;
      return dataBlock(this.#marker, label, text);
    } finally {
      resume();
    }
  }

  #report(part: AnswerPart): void {
    this.#parts.push(part);
    this.#wake?.();
    this.#wake = null;
  }
}
