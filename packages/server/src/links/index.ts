export { type LinkRoutesDeps, registerLinkRoutes } from './links/link.routes.ts';
export {
  createLinks,
  type Links,
  type LinksOptions,
  type ListRequest,
  type MadeLink,
} from './links/link.service.ts';
export type { LinkFilters } from './links/link-filters.rules.ts';
export type { LinkedAssistant } from './links/linked-assistant.rules.ts';
export { answerAcrossOrigins, type SessionCorsDeps } from './sessions/session-cors.ts';
export type { WidgetCaller } from './sessions/widget-caller.ts';
export {
  createWidgetSessions,
  type WidgetSessions,
  type WidgetSessionsOptions,
} from './sessions/widget-session.service.ts';
