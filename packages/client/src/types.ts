import type { BodyOf, PageOf, QueryOf, ResponseOf } from './api.ts';

// Access links and the chat
export type LinkRequest = BodyOf<'POST! /assistant-link'>;
export type CreatedLink = ResponseOf<'POST! /assistant-link'>;
export type LinkPage = PageOf<'GET /assistant-link'>;
export type Link = LinkPage['items'][number];
export type LinkWithPayload = ResponseOf<'GET /assistant-link/{linkId}'>;
export type WidgetSession = ResponseOf<'POST /assistant-link/exchange'>;
export type ChatRequest = BodyOf<'POST /chat'>;
export type ConversationPage = PageOf<'GET /chat/conversations'>;
export type Conversation = ConversationPage['items'][number];
export type ConversationQuery = QueryOf<'GET /chat/conversations/{conversationId}'>;
export type ConversationWithMessages = ResponseOf<'GET /chat/conversations/{conversationId}'>;
export type ToolDecision = BodyOf<'POST /chat/tool-calls/{callId}/decision'>['decision'];
export type ToolCallResult = BodyOf<'POST /chat/tool-calls/{callId}/result'>;
export type HandoffRequest = ResponseOf<'POST /chat/handoff'>;
export type Handoff = NonNullable<HandoffRequest['handoff']>;
export type KeptMessage = ConversationWithMessages['messages'][number];
/** A citation in a stored message. */
export type SourcePart = Extract<
  KeptMessage['parts'][number],
  { readonly type: 'source-document' }
>;
export type Attachment = ResponseOf<'POST /chat/{chatId}/attachments'>;
export type Feedback = BodyOf<'POST /chat/messages/{messageId}/feedback'>;

// Conversations of a space, for the people who run the assistant
export type SpaceConversationQuery = QueryOf<'GET /spaces/{spaceId}/conversations'>;
export type SpaceConversationPage = PageOf<'GET /spaces/{spaceId}/conversations'>;
export type SpaceConversation = SpaceConversationPage['items'][number];
export type SpaceConversationWithMessages =
  ResponseOf<'GET /spaces/{spaceId}/conversations/{conversationId}'>;
export type TeamMessage = BodyOf<'POST! /spaces/{spaceId}/conversations/{conversationId}/messages'>;
export type SentTeamMessage =
  ResponseOf<'POST! /spaces/{spaceId}/conversations/{conversationId}/messages'>;
export type ConversationExportQuery = QueryOf<'GET /spaces/{spaceId}/conversations/export'>;
export type QuestionQuery = QueryOf<'GET /spaces/{spaceId}/questions'>;
export type QuestionGroups = ResponseOf<'GET /spaces/{spaceId}/questions'>;
export type NewAnswer = BodyOf<'POST! /spaces/{spaceId}/answers'>;
export type Erasure = ResponseOf<'DELETE /spaces/{spaceId}/subjects/{sub}'>;

// Events
export type IngestResult = ResponseOf<'POST /events'>;
export type EventStats = ResponseOf<'GET /spaces/{spaceId}/events/stats'>;
export type RejectedEventPage = PageOf<'GET /spaces/{spaceId}/rejected-events'>;
export type RejectedEvent = RejectedEventPage['items'][number];
export type EventSourcePage = PageOf<'GET /spaces/{spaceId}/event-sources'>;
export type EventSource = EventSourcePage['items'][number];
export type NewEventSource = BodyOf<'POST! /spaces/{spaceId}/event-sources'>;
export type EventSourceWithSecret = ResponseOf<'POST! /spaces/{spaceId}/event-sources'>;
export type EventSourceChange = BodyOf<'PATCH /spaces/{spaceId}/event-sources/{sourceId}'>;
export type SecretRotation = BodyOf<'POST /spaces/{spaceId}/event-sources/{sourceId}/secrets'>;
export type SubscriptionPage = PageOf<'GET /spaces/{spaceId}/subscriptions'>;
export type Subscription = SubscriptionPage['items'][number];
export type NewSubscription = BodyOf<'POST! /spaces/{spaceId}/subscriptions'>;
export type SubscriptionWithSecret = ResponseOf<'POST! /spaces/{spaceId}/subscriptions'>;
export type SubscriptionChange = BodyOf<'PATCH /spaces/{spaceId}/subscriptions/{subscriptionId}'>;
export type SubscriptionTest =
  ResponseOf<'POST /spaces/{spaceId}/subscriptions/{subscriptionId}/test'>;
export type Replay = ResponseOf<'POST /spaces/{spaceId}/subscriptions/{subscriptionId}/replay'>;
export type DeliveryPage =
  PageOf<'GET /spaces/{spaceId}/subscriptions/{subscriptionId}/deliveries'>;
export type Delivery = DeliveryPage['items'][number];
export type DeliveryQuery =
  QueryOf<'GET /spaces/{spaceId}/subscriptions/{subscriptionId}/deliveries'>;

// Knowledge
export type SearchRequest = BodyOf<'POST /spaces/{spaceId}/search'>;
export type FoundPassage = ResponseOf<'POST /spaces/{spaceId}/search'>['items'][number];
export type NewDocument = BodyOf<'POST! /spaces/{spaceId}/documents'>;
export type DocumentPage = PageOf<'GET /spaces/{spaceId}/documents'>;
export type Document = DocumentPage['items'][number];
export type DocumentQuery = QueryOf<'GET /spaces/{spaceId}/documents'>;
export type DocumentLinks = ResponseOf<'GET /spaces/{spaceId}/documents/{documentId}/links'>;
export type DocumentChange = BodyOf<'PATCH /spaces/{spaceId}/documents/{documentId}'>;
export type DocumentVersionList =
  ResponseOf<'GET /spaces/{spaceId}/documents/{documentId}/versions'>;
export type DocumentVersion = DocumentVersionList['items'][number];
export type RestoreRequest =
  BodyOf<'POST /spaces/{spaceId}/documents/{documentId}/versions/{version}/restore'>;
export type DocumentsChange = BodyOf<'PATCH /spaces/{spaceId}/documents'>;
export type PassagePage = PageOf<'GET /spaces/{spaceId}/documents/{documentId}/passages'>;
export type Passage = PassagePage['items'][number];
export type PassageQuery = QueryOf<'GET /spaces/{spaceId}/documents/{documentId}/passages'>;
export type MetadataFieldPage = PageOf<'GET /spaces/{spaceId}/metadata-fields'>;
export type MetadataField = MetadataFieldPage['items'][number];
export type CrawlPage = PageOf<'GET /spaces/{spaceId}/crawls'>;
export type Crawl = CrawlPage['items'][number];
export type NewCrawl = BodyOf<'POST! /spaces/{spaceId}/crawls'>;
export type CrawlChange = BodyOf<'PATCH /spaces/{spaceId}/crawls/{crawlId}'>;
export type CrawledPagePage = PageOf<'GET /spaces/{spaceId}/crawls/{crawlId}/pages'>;
export type CrawledPage = CrawledPagePage['items'][number];
export type CrawledPageQuery = QueryOf<'GET /spaces/{spaceId}/crawls/{crawlId}/pages'>;
export type ProjectionPage = PageOf<'GET /spaces/{spaceId}/projections'>;
export type Projection = ProjectionPage['items'][number];
export type NewProjection = BodyOf<'POST! /spaces/{spaceId}/projections'>;
export type ProjectionChange = BodyOf<'PATCH /spaces/{spaceId}/projections/{projectionId}'>;
export type ProjectionTrial = ResponseOf<'POST /spaces/{spaceId}/projections/try'>;
export type RecordPage = PageOf<'GET /spaces/{spaceId}/projections/{projectionId}/records'>;
export type DerivedRecord = RecordPage['items'][number];
export type RecordQuery = QueryOf<'GET /spaces/{spaceId}/projections/{projectionId}/records'>;

export type DocumentEventPage = PageOf<'GET /spaces/{spaceId}/document-events'>;
export type DocumentEvent = DocumentEventPage['items'][number];
export type DocumentEventQuery = QueryOf<'GET /spaces/{spaceId}/document-events'>;
export type RetryResult = ResponseOf<'POST /spaces/{spaceId}/document-events/retry'>;
export type AccessPreviewRequest = BodyOf<'POST /spaces/{spaceId}/access-preview'>;
export type AccessPreview = ResponseOf<'POST /spaces/{spaceId}/access-preview'>;
export type ExplanationRequest = BodyOf<'POST /spaces/{spaceId}/access-preview/explain'>;
export type Explanation = ResponseOf<'POST /spaces/{spaceId}/access-preview/explain'>;
export type PreviewQuestion = BodyOf<'POST /spaces/{spaceId}/access-preview/ask'>;
export type PreviewAnswer = ResponseOf<'POST /spaces/{spaceId}/access-preview/ask'>;

// Spaces, bots and their members
export type NewSpace = BodyOf<'POST! /spaces'>;
export type CreatedSpace = ResponseOf<'POST! /spaces'>;
export type SpacePage = PageOf<'GET /spaces'>;
export type Space = SpacePage['items'][number];
export type ShownSpace = ResponseOf<'GET /spaces/{spaceId}'>;
export type SpaceChange = BodyOf<'PATCH /spaces/{spaceId}'>;
export type UsageQuery = QueryOf<'GET /spaces/{spaceId}/usage'>;
export type Usage = ResponseOf<'GET /spaces/{spaceId}/usage'>;
export type NewBot = BodyOf<'POST! /spaces/{spaceId}/bots'>;
export type BotPage = PageOf<'GET /spaces/{spaceId}/bots'>;
export type Bot = ResponseOf<'GET /bots/{botId}'>;
export type ListedBot = BotPage['items'][number];
export type BotChange = BodyOf<'PATCH /bots/{botId}'>;
export type ToolPage = PageOf<'GET /bots/{botId}/tools'>;
export type Tool = ToolPage['items'][number];
export type NewTool = BodyOf<'POST! /bots/{botId}/tools'>;
export type ToolWithSecret = ResponseOf<'POST! /bots/{botId}/tools'>;
export type ToolChange = BodyOf<'PATCH /bots/{botId}/tools/{toolId}'>;
export type MemberPage = PageOf<'GET /bots/{botId}/members'>;
export type Member = MemberPage['items'][number];
export type NewMember = BodyOf<'PUT /bots/{botId}/members/{userId}'>;
export type NewInvitation = BodyOf<'POST! /bots/{botId}/members'>;
export type CreatedInvitation = ResponseOf<'POST! /bots/{botId}/members'>;
export type InvitationPage = PageOf<'GET /bots/{botId}/invitations'>;
export type Invitation = InvitationPage['items'][number];

// Keys, sessions and users
export type NewApiKey = BodyOf<'POST! /spaces/{spaceId}/api-keys'>;
export type CreatedApiKey = ResponseOf<'POST! /spaces/{spaceId}/api-keys'>;
export type ApiKeyPage = PageOf<'GET /spaces/{spaceId}/api-keys'>;
export type ApiKey = ApiKeyPage['items'][number];
export type ApiKeyChange = BodyOf<'PATCH /spaces/{spaceId}/api-keys/{keyId}'>;
export type SignInRequest = BodyOf<'POST /auth/sign-in/email'>;
export type SignInResult = ResponseOf<'POST /auth/sign-in/email'>;
export type CodeSignInRequest = BodyOf<'POST /auth/sign-in/code'>;
export type SecondFactor = ResponseOf<'GET /auth/second-factor'>;
export type NewSecondFactor = ResponseOf<'POST /auth/second-factor'>;
export type PasswordConfirmation = BodyOf<'POST /auth/second-factor'>;
export type SecondFactorCode = BodyOf<'POST /auth/second-factor/confirm'>;
export type SecondFactorRemoval = BodyOf<'POST /auth/second-factor/disable'>;
export type RecoveryCodes = ResponseOf<'POST /auth/second-factor/confirm'>;
export type CurrentSession = ResponseOf<'GET /auth/session'>;
export type NewConsoleSession = BodyOf<'POST /console/session'>;
export type SignInMethods = ResponseOf<'GET /auth/methods'>;
export type Redemption = BodyOf<'POST /auth/redeem'>;
export type RedeemedLink = ResponseOf<'POST /auth/redeem'>;
export type PasswordChange = BodyOf<'POST /auth/change-password'>;
export type SingleSignOnCode = BodyOf<'POST /auth/sso/token'>;
export type SingleSignOnResult = ResponseOf<'POST /auth/sso/token'>;
export type SessionPage = PageOf<'GET /auth/sessions'>;
export type UserSession = SessionPage['items'][number];
export type NewUser = BodyOf<'POST! /users'>;
export type UserPage = PageOf<'GET /users'>;
export type User = UserPage['items'][number];
/** `limit`, `after` and `search` of a list of people. */
export type PeopleQuery = QueryOf<'GET /users'>;
export type UserChange = BodyOf<'PATCH /users/{userId}'>;
export type ResetLink = ResponseOf<'POST /users/{userId}/reset-link'>;
export type AuditQuery = QueryOf<'GET /audit'>;
export type AuditPage = PageOf<'GET /audit'>;
export type AuditEntry = AuditPage['items'][number];
export type AuditExportQuery = QueryOf<'GET /audit/export'>;

// The service
export type InstallationStatus = ResponseOf<'GET /installation'>;
export type ServiceStatus = ResponseOf<'GET /healthz'>;
export type OpenApiDescription = ResponseOf<'GET /openapi.json'>;
export type KeySet = ResponseOf<'GET /.well-known/jwks.json'>;

/** `limit` and `after` of a list. */
export type ListQuery = QueryOf<'GET /spaces'>;
