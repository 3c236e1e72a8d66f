export {
  createKnowledge,
  type KnowledgeModule,
  registerKnowledgeRoutes,
} from './create-knowledge.ts';
export { toMetadata } from './documents/document.rules.ts';
export type { Documents, NamedDocument, VisibleDocument } from './documents/document.service.ts';
export { previewTargetIssues } from './preview/preview-target.rules.ts';
export { showProjectionsLag } from './projections/projection.metrics.ts';
export {
  createKnowledgeAccess,
  type KnowledgeAccess,
  type KnowledgeCaller,
  scopeForWatching,
  scopeOfLink,
  scopeOfPreview,
  scopeOfSpace,
} from './search/scope.ts';
export type { SearchPassages } from './search/search.service.ts';
export {
  countDocumentEvents,
  showDocumentEventsLag,
} from './synchronisation/document-event.metrics.ts';
export type { ReadUpload } from './uploads/read-upload.ts';
