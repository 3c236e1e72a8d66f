import type { FastifyInstance } from 'fastify';
import type { Access } from '../access/index.ts';
import type { Links, WidgetSessions } from '../links/index.ts';
import type { Clock } from '../ports/clock.ts';
import type { Extractor } from '../ports/extractor.ts';
import type { KnowledgeEngine } from '../ports/knowledge-engine.ts';
import { registerDocumentRoutes } from './document.routes.ts';
import { createDocuments, type Documents } from './document.service.ts';
import { createReaders } from './reader.service.ts';
import { Reading } from './reading.service.ts';
import { registerSearchRoutes } from './search.routes.ts';
import { createSearch, type SearchPassages } from './search.service.ts';

export interface KnowledgeDeps {
  readonly engine: KnowledgeEngine;
  readonly extractor: Extractor;
  readonly clock: Clock;
  /** Background work failed; it is tried again. */
  readonly onError: (error: unknown) => void;
}

/** Knowledge as the other rooms and the routes use it. */
export interface KnowledgeRoom extends AsyncDisposable {
  readonly documents: Documents;
  readonly search: SearchPassages;
  /** Goes on with what a former process left unread or unremoved. */
  start(): Promise<void>;
  /** The space is gone: so are its documents, by and by. */
  removeSpace(spaceId: string): void;
}

export function createKnowledge(deps: KnowledgeDeps): KnowledgeRoom {
  const { engine, clock } = deps;
  const reading = new Reading(deps);
  return {
    documents: createDocuments({ engine, clock, onWork: () => reading.wake() }),
    search: createSearch(engine),
    start: () => reading.start(),
    removeSpace: (spaceId) => reading.removeSpace(spaceId),
    [Symbol.asyncDispose]: () => reading.close(),
  };
}

export interface KnowledgeRoutesDeps extends Pick<KnowledgeRoom, 'documents' | 'search'> {
  readonly access: Pick<Access, 'caller' | 'space'>;
  readonly sessions: Pick<WidgetSessions, 'verify'>;
  readonly links: Pick<Links, 'filtersOf'>;
}

export function registerKnowledgeRoutes(app: FastifyInstance, deps: KnowledgeRoutesDeps): void {
  const readers = createReaders(deps);
  registerDocumentRoutes(app, { ...deps, readers });
  registerSearchRoutes(app, { ...deps, readers });
}
