export {
  createKnowledge,
  type KnowledgeDeps,
  type KnowledgeModule,
  type KnowledgeRoutesDeps,
  registerKnowledgeRoutes,
} from './create-knowledge.ts';
export type { Documents, NamedDocument } from './documents/document.service.ts';
export { scopeOfLink } from './search/scope.ts';
export type { SearchPassages } from './search/search.service.ts';
export {
  countDocumentEvents,
  showDocumentEventsLag,
} from './synchronisation/document-event.metrics.ts';
