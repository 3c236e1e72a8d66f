import * as attachments from './chat/attachments.ts';
import * as chat from './chat/chat.ts';
import * as conversations from './chat/conversations.ts';
import * as handoff from './chat/handoff.ts';
import * as pageTools from './chat/page-tools.ts';
import * as questions from './chat/questions.ts';
import * as spaceConversations from './chat/space-conversations.ts';
import * as tools from './chat/tools.ts';
import * as deliveries from './events/deliveries.ts';
import * as eventFeed from './events/event-feed.ts';
import * as eventSources from './events/event-sources.ts';
import * as eventStats from './events/event-stats.ts';
import * as events from './events/events.ts';
import * as rejectedEvents from './events/rejected-events.ts';
import * as replays from './events/replays.ts';
import * as subscriptions from './events/subscriptions.ts';
import * as apiKeys from './identity/api-keys.ts';
import * as audit from './identity/audit.ts';
import * as bots from './identity/bots.ts';
import * as consoleSession from './identity/console-session.ts';
import * as erasure from './identity/erasure.ts';
import * as installation from './identity/installation.ts';
import * as invitations from './identity/invitations.ts';
import * as members from './identity/members.ts';
import * as oneTimeLinks from './identity/one-time-links.ts';
import * as people from './identity/people.ts';
import * as secondFactor from './identity/second-factor.ts';
import * as singleSignOn from './identity/single-sign-on.ts';
import * as spaces from './identity/spaces.ts';
import * as usage from './identity/usage.ts';
import * as userSessions from './identity/user-sessions.ts';
import * as accessPreview from './knowledge/access-preview.ts';
import * as answers from './knowledge/answers.ts';
import * as crawls from './knowledge/crawls.ts';
import * as documentChanges from './knowledge/document-changes.ts';
import * as documentEvents from './knowledge/document-events.ts';
import * as documentLinks from './knowledge/document-links.ts';
import * as documentUploads from './knowledge/document-uploads.ts';
import * as documentVersions from './knowledge/document-versions.ts';
import * as documents from './knowledge/documents.ts';
import * as mcp from './knowledge/mcp.ts';
import * as projections from './knowledge/projections.ts';
import * as search from './knowledge/search.ts';
import * as exchange from './links/exchange.ts';
import * as links from './links/links.ts';
import type { Operation } from './operation.ts';
import * as service from './service.ts';

/** All public operations, in the order of the API reference. */
export const operations: readonly Operation[] = [
  links.createLink,
  links.listLinks,
  links.showLink,
  links.revokeLink,
  links.revokeLinks,
  exchange.exchangeLink,
  chat.askAssistant,
  chat.resumeAnswer,
  chat.stopAnswer,
  conversations.listConversations,
  conversations.showConversation,
  conversations.deleteConversation,
  chat.rateAnswer,
  attachments.addAttachment,
  attachments.removeAttachment,
  tools.decideToolCall,
  pageTools.returnToolResult,
  handoff.requestHandoff,
  handoff.followHandoff,
  handoff.leaveHandoff,
  mcp.callMcp,
  spaceConversations.listSpaceConversations,
  spaceConversations.showSpaceConversation,
  spaceConversations.exportConversations,
  spaceConversations.followSpaceConversation,
  handoff.sendTeamMessage,
  handoff.endHandoff,
  questions.listQuestions,
  events.ingestEvents,
  eventFeed.listEvents,
  eventFeed.streamEvents,
  eventStats.showEventStats,
  rejectedEvents.listRejectedEvents,
  search.searchPassages,
  documentUploads.createDocument,
  documentUploads.putDocument,
  answers.createAnswer,
  documents.listDocuments,
  documents.showDocument,
  documents.downloadDocument,
  documents.listPassages,
  documentChanges.changeDocument,
  documentChanges.changeDocuments,
  documentChanges.retryDocument,
  documentChanges.deleteDocument,
  documentVersions.listDocumentVersions,
  documentVersions.downloadDocumentVersion,
  documentVersions.restoreDocumentVersion,
  accessPreview.previewAccess,
  accessPreview.explainAccess,
  accessPreview.askPreview,
  documentLinks.listDocumentLinks,
  accessPreview.listMetadataFields,
  crawls.createCrawl,
  crawls.listCrawls,
  crawls.showCrawl,
  crawls.changeCrawl,
  crawls.deleteCrawl,
  crawls.startCrawl,
  crawls.stopCrawl,
  crawls.listCrawlPages,
  documentEvents.listDocumentEvents,
  documentEvents.showDocumentEvent,
  documentEvents.retryDocumentEvent,
  documentEvents.retryDocumentEvents,
  projections.createProjection,
  projections.listProjections,
  projections.tryProjection,
  projections.showProjection,
  projections.changeProjection,
  projections.rebuildProjection,
  projections.deleteProjection,
  projections.listRecords,
  spaces.createSpace,
  spaces.listSpaces,
  spaces.showSpace,
  spaces.changeSpace,
  spaces.deleteSpace,
  bots.createBot,
  bots.listBots,
  bots.showBot,
  bots.changeBot,
  bots.deleteBot,
  tools.createTool,
  tools.listTools,
  tools.showTool,
  tools.changeTool,
  tools.deleteTool,
  members.listMembers,
  members.showMember,
  members.putMember,
  members.deleteMember,
  invitations.createInvitation,
  invitations.listInvitations,
  invitations.deleteInvitation,
  apiKeys.createApiKey,
  apiKeys.listApiKeys,
  apiKeys.showApiKey,
  apiKeys.changeApiKey,
  apiKeys.deleteApiKey,
  eventSources.createEventSource,
  eventSources.listEventSources,
  eventSources.showEventSource,
  eventSources.changeEventSource,
  eventSources.rotateEventSourceSecret,
  eventSources.deleteEventSource,
  subscriptions.createSubscription,
  subscriptions.listSubscriptions,
  subscriptions.showSubscription,
  subscriptions.changeSubscription,
  subscriptions.rotateSubscriptionSecret,
  subscriptions.testSubscription,
  subscriptions.deleteSubscription,
  deliveries.listDeliveries,
  deliveries.showDelivery,
  deliveries.resendDelivery,
  deliveries.resendDeliveries,
  deliveries.deleteDelivery,
  replays.startReplay,
  replays.cancelReplay,
  people.signIn,
  secondFactor.signInWithCode,
  people.signOut,
  people.showSession,
  consoleSession.createConsoleSession,
  consoleSession.endConsoleSession,
  singleSignOn.listSignInMethods,
  singleSignOn.startSingleSignOn,
  singleSignOn.finishSingleSignOn,
  singleSignOn.redeemSingleSignOn,
  singleSignOn.endProviderSession,
  userSessions.listSessions,
  userSessions.endOtherSessions,
  userSessions.endSession,
  oneTimeLinks.redeemLink,
  oneTimeLinks.changePassword,
  secondFactor.showSecondFactor,
  secondFactor.startSecondFactor,
  secondFactor.confirmSecondFactor,
  secondFactor.disableSecondFactor,
  people.createUser,
  people.listUsers,
  people.showUser,
  people.changeUser,
  singleSignOn.unlinkUser,
  oneTimeLinks.createResetLink,
  secondFactor.removeSecondFactor,
  userSessions.listUserSessions,
  userSessions.endUserSessions,
  usage.showUsage,
  installation.showInstallation,
  erasure.eraseSubject,
  audit.listAudit,
  audit.exportAudit,
  service.health,
  service.readiness,
  service.metrics,
  service.home,
  service.openApi,
  service.openDocumentation,
  service.documentation,
  service.documentationPage,
  service.documentationFile,
  service.reference,
  service.referenceScript,
  exchange.showKeySet,
  service.consolePage,
  service.consoleAsset,
  service.widgetPage,
  service.widgetAsset,
  service.widgetLoader,
  service.widgetOpening,
];
