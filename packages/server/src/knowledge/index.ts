export {
  createKnowledge,
  type KnowledgeDeps,
  type KnowledgeRoom,
  type KnowledgeRoutesDeps,
  registerKnowledgeRoutes,
} from './create-knowledge.ts';
export type { Documents, NamedDocument } from './document.service.ts';
export { countDocumentEvents, showDocumentEventsLag } from './document-event.metrics.ts';
export { scopeOfLink } from './scope.ts';
export type { SearchPassages } from './search.service.ts';
