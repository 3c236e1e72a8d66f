export { keepsHistory, type LinkedAssistant } from './links/assistant.rules.ts';
export { createKeyedLinks } from './links/keyed-link.repository.ts';
export { registerLinkRoutes } from './links/link.routes.ts';
export { createLinks, type Links } from './links/link.service.ts';
export type { LinkFilters } from './links/link-filters.rules.ts';
export { hasSub } from './links/link-list.repository.ts';
export { linkFilterIssues } from './links/link-request.rules.ts';
export type { LinkPreview } from './links/preview-link.service.ts';
export { createLinkReadLimit, type LinkReadLimit } from './sessions/link-read-limit.ts';
export { respondAcrossOrigins, type SessionCorsDeps } from './sessions/session-cors.ts';
export { createSigner } from './sessions/signer.ts';
export {
  createWidgetSessions,
  type WidgetCaller,
  type WidgetSessions,
} from './sessions/widget-session.service.ts';
