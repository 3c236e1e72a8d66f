import { randomUUIDv7 } from 'node:crypto';
import type { PreviewAnswer, PreviewPassage, SourcePart } from '@gatehouse/contract';
import type { Documents, SearchPassages } from '../../knowledge/index.ts';
import type { LinkedAssistant } from '../../links/index.ts';
import type { KnowledgeScope } from '../../storage/ports/index.ts';
import { UNKNOWN_LOCALE } from './asker-locale.rules.ts';
import { type PassageSearch, passageSearch } from './passages.service.ts';
import { type RunDeps, runTurn } from './run-turn.ts';
import type { Chunk } from './ui-stream.rules.ts';

export interface PreviewTurnDeps extends Omit<RunDeps, 'named'> {
  readonly documents: Pick<Documents, 'named'>;
  readonly search: SearchPassages;
}

export interface PreviewTurn {
  readonly assistant: LinkedAssistant;
  /** `null` if the link need not exist. */
  readonly linkId: string | null;
  /** The scope that a widget session of the link has. */
  readonly scope: KnowledgeScope;
  readonly question: string;
  readonly requestId: string;
  readonly release: () => void;
}

/**
 * Answers a question as `runTurn` does for the first question of a conversation, but stores nothing and does not count as a turn.
 * The tokens and the cost count, because the model bills them.
 */
export async function runPreviewTurn(
  deps: PreviewTurnDeps,
  { assistant, scope, linkId, question, requestId, release }: PreviewTurn,
  signals: { readonly gone: AbortSignal; readonly ending: AbortSignal },
): Promise<PreviewAnswer> {
  const passages = new Map<string, PreviewPassage>();
  const search = recording(
    passageSearch(deps.search, async () => scope),
    passages,
  );
  const answer = new CollectedAnswer();
  const chunks = runTurn(
    {
      ...deps,
      count: { ...deps.count, turn: () => {} },
      named: (ids) => deps.documents.named(scope, ids),
    },
    {
      id: randomUUIDv7(),
      spaceId: scope.spaceId,
      linkId,
      assistant,
      history: {
        conversationId: null,
        question,
        questionId: null,
        messages: [],
        documents: [],
        messageIds: new Set(),
        saved: Promise.resolve(),
        store: async () => {},
      },
      reported: null,
      askerLocale: UNKNOWN_LOCALE,
      search,
      filter: scope.filter,
      // A preview has no person who could consent, and no link whose claims a tool could check.
      tools: [],
      watchLink: neverEnding,
      requestId,
      release,
    },
    signals,
  );
  for await (const chunk of chunks) answer.add(chunk);
  signals.gone.throwIfAborted();
  return { passages: [...passages.values()], answer: answer.collected() };
}

/** Records the passages that the searches of an answer find, each passage once. */
function recording(search: PassageSearch, passages: Map<string, PreviewPassage>): PassageSearch {
  return {
    ...search,
    documents: search.documents,
    async find(query, signal) {
      const found = await search.find(query, signal);
      for (const passage of found) {
        const key = `${passage.documentId} ${passage.position}`;
        const { isRecord: _, ...shown } = passage;
        if (!passages.has(key)) passages.set(key, shown);
      }
      return found;
    },
  };
}

/** The watch of a link that need not exist. */
function neverEnding() {
  return { signal: new AbortController().signal, [Symbol.dispose]: () => {} };
}

class CollectedAnswer {
  #text = '';
  #failureCode: string | null = null;
  #failureMessage = '';
  readonly #sources: SourcePart[] = [];

  add(chunk: Chunk): void {
    switch (chunk.type) {
      case 'text-delta':
        this.#text += chunk.delta;
        break;
      case 'source-document':
        this.#sources.push(chunk);
        break;
      case 'message-metadata':
        this.#failureCode = chunk.messageMetadata.code ?? null;
        break;
      case 'error':
        this.#failureMessage = chunk.errorText;
        break;
    }
  }

  collected(): PreviewAnswer['answer'] {
    const code = this.#failureCode;
    return {
      text: this.#text,
      sources: this.#sources,
      state: code === null ? 'finished' : 'failed',
      failure: code === null ? null : { code, message: this.#failureMessage },
    };
  }
}
