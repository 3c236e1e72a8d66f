import { MAX_PAGE_TOOL_RESULT_LENGTH } from '@gatehouse/contract/page-tools';
import { readMessage, TOOL_RESULTS, type ToolResultMessage } from '../../protocol/messages.ts';
import type { Api } from '../api/api.ts';
import type { HostPage } from '../host-page.ts';

export interface PageCall {
  readonly id: string;
  readonly toolName: string;
  readonly input: object;
}

type Outcome = ToolResultMessage['outcome'] | 'denied';

/**
 * Calls of the tools of the embedding page. Each call runs at most once, and only its first result is sent to the service. Results
 * of calls that are not running are ignored.
 */
export class PageCalls {
  readonly #host: HostPage;
  readonly #api: Pick<Api, 'send'>;
  /** Calls that were run or denied. */
  readonly #decided = new Set<string>();
  readonly #running = new Set<string>();

  constructor(host: HostPage, api: Pick<Api, 'send'>) {
    this.#host = host;
    this.#api = api;
    window.addEventListener('message', (event) => {
      if (!host.isFromPage(event)) return;
      const result = readMessage<ToolResultMessage>(event.data, TOOL_RESULTS);
      if (result !== null && this.#running.delete(result.id))
        void this.#return(result.id, result.outcome, result.text);
    });
  }

  /** Reports whether the page permits a call without the consent of the person. */
  isHarmless(toolName: string): boolean {
    return this.#host.tools?.find(({ name }) => name === toolName)?.harmless === true;
  }

  run({ id, toolName, input }: PageCall): void {
    if (this.#decided.has(id)) return;
    this.#decided.add(id);
    this.#running.add(id);
    this.#host.send({ type: 'tool-call', id, name: toolName, input });
  }

  deny({ id }: PageCall): void {
    if (this.#decided.has(id)) return;
    this.#decided.add(id);
    void this.#return(id, 'denied', '');
  }

  /** Tells the page that nobody waits for the result of a call. */
  end(id: string): void {
    if (this.#running.delete(id)) this.#host.send({ type: 'tool-end', id });
  }

  /** A result that cannot be sent is lost. The service then stops waiting after its timeout. */
  async #return(id: string, outcome: Outcome, text: string): Promise<void> {
    const storable = text
      .slice(0, MAX_PAGE_TOOL_RESULT_LENGTH)
      .toWellFormed()
      .replaceAll('\0', '\ufffd');
    const path = `/chat/tool-calls/${id}/result`;
    await this.#api.send({ method: 'POST', path, body: { outcome, text: storable } });
  }
}

const calls = new WeakMap<HostPage, PageCalls>();

/** Returns the calls of a page. There is one object per page, because a second one would run calls twice. */
export function pageCallsOf(host: HostPage, api: Pick<Api, 'send'>): PageCalls {
  const known = calls.get(host) ?? new PageCalls(host, api);
  calls.set(host, known);
  return known;
}
