import type { TSchema } from 'typebox';
import { ChatRequest, Feedback, SentMessage } from '../chat/chat.ts';
import * as conversations from '../chat/conversations.ts';
import { ErrorBody, GoneBody } from '../common.ts';
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
import * as bots from '../identity/bots.ts';
import * as members from '../identity/members.ts';
import * as people from '../identity/people.ts';
import * as spaces from '../identity/spaces.ts';
import { Document, DocumentState } from '../knowledge/document.ts';
import * as documentChanges from '../knowledge/document-changes.ts';
import * as documentEvents from '../knowledge/document-events.ts';
import { DocumentParts, NewDocument } from '../knowledge/document-uploads.ts';
import * as documents from '../knowledge/documents.ts';
import * as search from '../knowledge/search.ts';
import * as exchange from '../links/exchange.ts';
import { Features, JwtPayload, LinkRequest } from '../links/link-request.ts';
import * as links from '../links/links.ts';
import { ServiceStatus } from '../service.ts';

/** Schemas that have a name in the document. Any equal schema becomes a reference to the named schema. */
export const namedSchemas: Readonly<Record<string, TSchema>> = {
  AccessLink: links.Link,
  AccessLinkFeatures: Features,
  AccessLinkList: links.LinkList,
  AccessLinkState: links.LinkState,
  AccessLinkWithPayload: links.LinkWithPayload,
  AnswerState: conversations.AnswerState,
  ApiKey: keys.ApiKey,
  ApiKeyChange: keys.ApiKeyChange,
  ApiKeyList: keys.ApiKeyList,
  ApiKeyScope: keys.Scope,
  Bot: bots.Bot,
  BotChange: bots.BotChange,
  BotList: bots.BotList,
  ChatMessage: conversations.KeptMessage,
  ChatRequest,
  Conversation: conversations.Conversation,
  ConversationList: conversations.ConversationList,
  ConversationWithMessages: conversations.ConversationWithMessages,
  CreatedAccessLink: links.CreatedLink,
  CreatedApiKey: keys.CreatedApiKey,
  CreatedSpace: spaces.CreatedSpace,
  CurrentSession: people.CurrentSession,
  Delivery: deliveries.Delivery,
  DeliveryAttempt: deliveries.DeliveryAttempt,
  DeliveryList: deliveries.DeliveryList,
  DeliveryState: deliveries.DeliveryState,
  DeliveryWithEvent: deliveries.DeliveryWithEvent,
  Document,
  ChangedDocuments: documentChanges.ChangedDocuments,
  DocumentChange: documentChanges.DocumentChange,
  DocumentEvent: documentEvents.DocumentEvent,
  DocumentEventList: documentEvents.DocumentEventList,
  DocumentEventRetryResult: documentEvents.RetryResult,
  DocumentEventState: documentEvents.DocumentEventState,
  DocumentList: documents.DocumentList,
  DocumentState,
  DocumentUpload: DocumentParts,
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
  Feedback,
  FoundPassage: search.FoundPassage,
  IngestEvent: events.IngestEvent,
  IngestRequest: events.IngestRequest,
  IngestResult: events.IngestResult,
  JwtPayload,
  KeySet: exchange.KeySet,
  LinkGoneError: GoneBody,
  Member: members.Member,
  MemberList: members.MemberList,
  MemberRole: members.MemberRole,
  NewAccessLink: LinkRequest,
  NewApiKey: keys.NewApiKey,
  NewBot: bots.NewBot,
  NewDocument,
  NewEventRetention: spaces.NewEventRetention,
  NewEventSource: sources.NewEventSource,
  NewSpace: spaces.NewSpace,
  NewSubscription: subscriptions.NewSubscription,
  NewUser: people.NewUser,
  Passage: documents.Passage,
  PassageList: documents.PassageList,
  RejectedEvent,
  RejectedEventList,
  Replay: subscriptions.Replay,
  ReplayRequest,
  ResentDeliveries: deliveries.ResentDeliveries,
  RevokedAccessLinks: links.RevokedLinks,
  Role: members.Role,
  SearchRequest: search.SearchRequest,
  SearchResult: search.SearchAnswer,
  SecretPeriods,
  SecretRotation,
  SentMessage,
  ServiceStatus,
  SignInRequest: people.SignInRequest,
  SignInResult: people.SignInResult,
  SourcePart: conversations.SourcePart,
  Space: spaces.Space,
  SpaceChange: spaces.SpaceChange,
  SpaceList: spaces.SpaceList,
  StandardCloudEvent: events.StandardCloudEvent,
  Subscription: subscriptions.Subscription,
  SubscriptionChange: subscriptions.SubscriptionChange,
  SubscriptionList: subscriptions.SubscriptionList,
  SubscriptionState: subscriptions.SubscriptionState,
  SubscriptionTest: subscriptions.SubscriptionTest,
  SubscriptionWithSecret: subscriptions.SubscriptionWithSecret,
  TextPart: conversations.TextPart,
  User: people.User,
  UserChange: people.UserChange,
  UserList: people.UserList,
  WidgetSession: exchange.WidgetSession,
};
