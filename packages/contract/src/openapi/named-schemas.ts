import type { TSchema } from 'typebox';
import * as attachments from '../chat/attachments.ts';
import { ChatRequest, Feedback, SentMessage } from '../chat/chat.ts';
import * as conversations from '../chat/conversations.ts';
import * as handoff from '../chat/handoff.ts';
import { PageTool, ToolCallResult } from '../chat/page-tools.ts';
import * as questions from '../chat/questions.ts';
import * as spaceConversations from '../chat/space-conversations.ts';
import * as tools from '../chat/tools.ts';
import { ErrorBody, GoneBody, UnauthorizedBody } from '../common.ts';
import * as deliveries from '../events/deliveries.ts';
import { EventFeed, FeedItem } from '../events/event-feed.ts';
import * as sources from '../events/event-sources.ts';
import { EventStats, NamedCounts } from '../events/event-stats.ts';
import * as events from '../events/events.ts';
import { RejectedEvent, RejectedEventList } from '../events/rejected-events.ts';
import { ReplayRequest } from '../events/replays.ts';
import { SecretPeriods, SecretRotation } from '../events/signing-secrets.ts';
import * as subscriptions from '../events/subscriptions.ts';
import * as keys from '../identity/api-keys.ts';
import * as audit from '../identity/audit.ts';
import * as bots from '../identity/bots.ts';
import { Budget } from '../identity/budget.ts';
import * as consoleSession from '../identity/console-session.ts';
import * as erasure from '../identity/erasure.ts';
import * as installation from '../identity/installation.ts';
import * as invitations from '../identity/invitations.ts';
import * as members from '../identity/members.ts';
import * as oneTimeLinks from '../identity/one-time-links.ts';
import * as people from '../identity/people.ts';
import * as secondFactor from '../identity/second-factor.ts';
import * as singleSignOn from '../identity/single-sign-on.ts';
import * as spaces from '../identity/spaces.ts';
import * as usage from '../identity/usage.ts';
import * as userSessions from '../identity/user-sessions.ts';
import * as preview from '../knowledge/access-preview.ts';
import { NewAnswer } from '../knowledge/answers.ts';
import * as crawlFields from '../knowledge/crawl-fields.ts';
import * as crawls from '../knowledge/crawls.ts';
import { Document, DocumentState } from '../knowledge/document.ts';
import * as documentChanges from '../knowledge/document-changes.ts';
import * as documentEvents from '../knowledge/document-events.ts';
import { DocumentLinks } from '../knowledge/document-links.ts';
import { DocumentParts, NewDocument } from '../knowledge/document-uploads.ts';
import * as documentVersions from '../knowledge/document-versions.ts';
import * as documents from '../knowledge/documents.ts';
import * as projections from '../knowledge/projections.ts';
import * as search from '../knowledge/search.ts';
import * as exchange from '../links/exchange.ts';
import { Features, JwtPayload, LinkRequest } from '../links/link-request.ts';
import * as links from '../links/links.ts';
import { ServiceStatus } from '../service.ts';

/** Schemas that have a name in the document. Any equal schema becomes a reference to the named schema. */
export const namedSchemas: Readonly<Record<string, TSchema>> = {
  AccessExplanation: preview.AccessExplanation,
  AccessExplanationRequest: preview.ExplainRequest,
  AccessLink: links.Link,
  AccessLinkFeatures: Features,
  AccessLinkList: links.LinkList,
  AccessLinkState: links.LinkState,
  AccessLinkWithPayload: links.LinkWithPayload,
  AccessPreview: preview.AccessPreview,
  AccessPreviewAnswer: preview.PreviewAnswer,
  AccessPreviewPassage: preview.PreviewPassage,
  AccessPreviewQuestion: preview.PreviewQuestion,
  AccessPreviewRequest: preview.PreviewRequest,
  AnswerState: conversations.AnswerState,
  Attachment: attachments.Attachment,
  AuditActor: audit.AuditActor,
  AuditEntry: audit.AuditEntry,
  AuditList: audit.AuditList,
  ApiKey: keys.ApiKey,
  ApiKeyChange: keys.ApiKeyChange,
  ApiKeyList: keys.ApiKeyList,
  ApiKeyScope: keys.Scope,
  Bot: bots.Bot,
  BotChange: bots.BotChange,
  BotList: bots.BotList,
  Budget,
  BudgetState: usage.BudgetState,
  ChatMessage: conversations.KeptMessage,
  ChatRequest,
  CitedSource: spaceConversations.CitedSource,
  CodeSignInRequest: secondFactor.CodeSignInRequest,
  Conversation: conversations.Conversation,
  ConversationAccess: spaces.ConversationAccess,
  ConversationList: conversations.ConversationList,
  ConversationWithMessages: conversations.ConversationWithMessages,
  CreatedAccessLink: links.CreatedLink,
  CreatedApiKey: keys.CreatedApiKey,
  CreatedInvitation: invitations.CreatedInvitation,
  CreatedSpace: spaces.CreatedSpace,
  CurrentSession: people.CurrentSession,
  Delivery: deliveries.Delivery,
  DeliveryAttempt: deliveries.DeliveryAttempt,
  DeliveryList: deliveries.DeliveryList,
  DeliveryState: deliveries.DeliveryState,
  DeliveryWithEvent: deliveries.DeliveryWithEvent,
  Crawl: crawlFields.Crawl,
  CrawlChange: crawlFields.CrawlChange,
  CrawlList: crawls.CrawlList,
  CrawlPage: crawlFields.CrawlPage,
  CrawlPageList: crawls.CrawlPageList,
  CrawlRun: crawlFields.CrawlRun,
  FilePart: attachments.FilePart,
  NewCrawl: crawlFields.NewCrawl,
  Document,
  ChangedDocuments: documentChanges.ChangedDocuments,
  DocumentChange: documentChanges.DocumentChange,
  DocumentEvent: documentEvents.DocumentEvent,
  DocumentEventList: documentEvents.DocumentEventList,
  DocumentEventRetryResult: documentEvents.RetryResult,
  DocumentEventState: documentEvents.DocumentEventState,
  DocumentLinks,
  DocumentList: documents.DocumentList,
  DocumentState,
  DocumentUpload: DocumentParts,
  DocumentVersion: documentVersions.DocumentVersion,
  DocumentVersionList: documentVersions.DocumentVersionList,
  RestoreRequest: documentVersions.RestoreRequest,
  DocumentsChange: documentChanges.DocumentsChange,
  Error: ErrorBody,
  EventAuth: events.EventAuth,
  EventCounts: NamedCounts,
  EventFeed,
  EventFeedItem: FeedItem,
  EventRetention: spaces.EventRetention,
  EventSource: sources.EventSource,
  EventSourceChange: sources.EventSourceChange,
  EventSourceList: sources.EventSourceList,
  EventSourceWithSecret: sources.EventSourceWithSecret,
  EventStats,
  ExchangePayload: exchange.ExchangePayload,
  ExchangeRequest: exchange.ExchangeRequest,
  ExplainedClause: preview.ExplainedClause,
  Feedback,
  FoundPassage: search.FoundPassage,
  Handoff: handoff.Handoff,
  HandoffRequest: handoff.HandoffRequest,
  IngestEvent: events.IngestEvent,
  IngestRequest: events.IngestRequest,
  IngestResult: events.IngestResult,
  Invitation: invitations.Invitation,
  InvitationList: invitations.InvitationList,
  JwtPayload,
  KeySet: exchange.KeySet,
  LinkGoneError: GoneBody,
  Member: members.Member,
  MemberList: members.MemberList,
  MemberRole: members.MemberRole,
  MetadataField: preview.MetadataField,
  MetadataFields: preview.MetadataFields,
  NewAccessLink: LinkRequest,
  NewAnswer,
  NewApiKey: keys.NewApiKey,
  NewBot: bots.NewBot,
  NewConsoleSession: consoleSession.NewConsoleSession,
  NewDocument,
  NewEventRetention: spaces.NewEventRetention,
  NewEventSource: sources.NewEventSource,
  NewInvitation: invitations.NewInvitation,
  NewSecondFactor: secondFactor.NewSecondFactor,
  NewSpace: spaces.NewSpace,
  NewSubscription: subscriptions.NewSubscription,
  NewTool: tools.NewTool,
  NewUser: people.NewUser,
  PageTool,
  Passage: documents.Passage,
  PassageList: documents.PassageList,
  NewProjection: projections.NewProjection,
  Projection: projections.Projection,
  ProjectionChange: projections.ProjectionChange,
  ProjectionList: projections.ProjectionList,
  ProjectionState: projections.ProjectionState,
  ProjectionTrial: projections.ProjectionTrial,
  DerivedRecord: projections.DerivedRecord,
  DerivedRecordList: projections.DerivedRecordList,
  PasswordChange: oneTimeLinks.PasswordChange,
  PasswordConfirmation: secondFactor.PasswordConfirmation,
  QuestionGroup: questions.QuestionGroup,
  QuestionGroups: questions.QuestionGroups,
  RecoveryCodes: secondFactor.RecoveryCodes,
  RedeemRequest: oneTimeLinks.RedeemRequest,
  ResetLink: oneTimeLinks.ResetLink,
  RejectedEvent,
  RejectedEventList,
  Replay: subscriptions.Replay,
  ReplayRequest,
  ResentDeliveries: deliveries.ResentDeliveries,
  RevokedAccessLinks: links.RevokedLinks,
  Role: members.Role,
  RequestedHandoff: handoff.RequestedHandoff,
  SearchRequest: search.SearchRequest,
  SearchResult: search.SearchAnswer,
  SecondFactor: secondFactor.SecondFactor,
  SecondFactorCode: secondFactor.SecondFactorCode,
  SecondFactorRemoval: secondFactor.SecondFactorRemoval,
  SecretPeriods,
  SecretRotation,
  SentMessage,
  SentTeamMessage: handoff.SentTeamMessage,
  TeamMessage: handoff.TeamMessage,
  ServiceStatus,
  Tool: tools.Tool,
  ToolCallResult,
  ToolChange: tools.ToolChange,
  ToolDecision: tools.ToolDecision,
  ToolList: tools.ToolList,
  ToolWithSecret: tools.ToolWithSecret,
  SignInMethods: singleSignOn.SignInMethods,
  SignInRequest: people.SignInRequest,
  SignInResult: people.SignInResult,
  SingleSignOnCode: singleSignOn.SingleSignOnCode,
  SourcePart: conversations.SourcePart,
  ShownSpace: spaces.ShownSpace,
  Space: spaces.Space,
  SpaceChange: spaces.SpaceChange,
  SpaceConversation: spaceConversations.SpaceConversation,
  SpaceConversationList: spaceConversations.SpaceConversationList,
  SpaceConversationWithMessages: spaceConversations.SpaceConversationWithMessages,
  SpaceList: spaces.SpaceList,
  SpaceMessage: spaceConversations.SpaceMessage,
  StandardCloudEvent: events.StandardCloudEvent,
  Subscription: subscriptions.Subscription,
  SubscriptionChange: subscriptions.SubscriptionChange,
  SubscriptionList: subscriptions.SubscriptionList,
  SubscriptionState: subscriptions.SubscriptionState,
  SubscriptionTest: subscriptions.SubscriptionTest,
  SubscriptionWithSecret: subscriptions.SubscriptionWithSecret,
  TextPart: conversations.TextPart,
  UnauthorizedError: UnauthorizedBody,
  User: people.User,
  UserChange: people.UserChange,
  UserList: people.UserList,
  InstallationBackup: installation.Backup,
  InstallationReplica: installation.Replica,
  InstallationSetting: installation.EffectiveSetting,
  InstallationStatus: installation.InstallationStatus,
  Erasure: erasure.Erasure,
  Usage: usage.Usage,
  UsageDay: usage.UsageDay,
  UsageTotals: usage.UsageTotals,
  UserSession: userSessions.UserSession,
  UserSessionList: userSessions.UserSessionList,
  WidgetSession: exchange.WidgetSession,
};
