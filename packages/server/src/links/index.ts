export { type LinkRoutesDeps, registerLinkRoutes } from './link.routes.ts';
export {
  createLinks,
  type Links,
  type LinksOptions,
  type ListRequest,
  type MadeLink,
} from './link.service.ts';
export type { LinkFilters } from './link-filters.rules.ts';
export type { LinkedAssistant } from './linked-assistant.rules.ts';
export { answerAcrossOrigins, type SessionCorsDeps } from './session-cors.ts';
export type { WidgetCaller } from './widget-caller.ts';
export {
  createWidgetSessions,
  type WidgetSessions,
  type WidgetSessionsOptions,
} from './widget-session.service.ts';
