export * from './api-error.ts';
export * from './chat/chat.ts';
export * from './chat/conversations.ts';
export * from './common.ts';
export * from './events/deliveries.ts';
export * from './events/event-feed.ts';
export * from './events/event-sources.ts';
export * from './events/event-stats.ts';
export * from './events/events.ts';
export * from './events/rejected-events.ts';
export * from './events/replays.ts';
export * from './events/signing-secrets.ts';
export * from './events/subscriptions.ts';
export * from './identity/api-keys.ts';
export * from './identity/audit.ts';
export * from './identity/bots.ts';
export * from './identity/erasure.ts';
export * from './identity/invitations.ts';
export * from './identity/members.ts';
export * from './identity/one-time-links.ts';
export * from './identity/people.ts';
export * from './identity/single-sign-on.ts';
export * from './identity/spaces.ts';
export * from './identity/usage.ts';
export * from './identity/user-sessions.ts';
export * from './knowledge/access-preview.ts';
export * from './knowledge/document.ts';
export * from './knowledge/document-changes.ts';
export * from './knowledge/document-events.ts';
export {
  MAX_DOCUMENT_URL_LENGTH,
  MAX_FILE_NAME_LENGTH,
  MAX_TITLE_LENGTH,
} from './knowledge/document-fields.ts';
export * from './knowledge/document-uploads.ts';
export * from './knowledge/documents.ts';
export * from './knowledge/search.ts';
export * from './links/exchange.ts';
export * from './links/link-request.ts';
export * from './links/links.ts';
export * from './nearest-name.ts';
export type * from './openapi/document.ts';
export { errorAnswer, errorStatuses } from './openapi/errors.ts';
export { openApiDocument } from './openapi/openapi.ts';
export * from './operation.ts';
export * from './operations.ts';
export * from './service.ts';
