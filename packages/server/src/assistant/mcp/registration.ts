import type { Documents, SearchPassages } from '../../knowledge/index.ts';
import type { KnowledgeScope } from '../../storage/ports/index.ts';
import type { AnswerTool } from '../answerer.ts';

export type Sdk = typeof import('@modelcontextprotocol/server');

export interface McpServerDeps {
  readonly documents: Pick<Documents, 'list' | 'show' | 'passages'>;
  readonly search: SearchPassages;
  readonly version: string;
}

/** Data that the tools and resources of one request need. */
export interface Registration {
  readonly deps: McpServerDeps;
  readonly scope: KnowledgeScope;
  /** Tools of the bot that need no consent. */
  readonly tools: readonly AnswerTool[];
  /** Cancels searches if the client disconnects. */
  readonly signal: AbortSignal;
  /** Called with an error whose message clients must not see. */
  readonly onFailure: (error: unknown) => void;
}
