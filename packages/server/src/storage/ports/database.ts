import type { Kysely } from 'kysely';
import type {
  DeliveryRow,
  EventConsumerRow,
  EventCursorRow,
  EventSourceRow,
  EventSourceSecretRow,
  RejectedEventRow,
  SubscriptionRow,
  SuccessfulDeliveryRow,
} from './tables/events.ts';
import type {
  AttachmentRow,
  ConversationOutboxRow,
  ConversationRow,
  LinkRow,
  MessageRow,
} from './tables/links.ts';
import type {
  AuditOutboxRow,
  AuditRow,
  BudgetDayRow,
  IdempotentResponseRow,
  InstallationRow,
  SigningKeyRow,
  UsageDayRow,
} from './tables/platform.ts';
import type {
  ApiKeyRow,
  BotMemberRow,
  BotRow,
  InvitationRow,
  PageToolCallRow,
  RunningAnswerRow,
  SpaceOriginRow,
  SpaceRow,
  ToolConsentRow,
  ToolRow,
} from './tables/spaces.ts';
import type {
  AccountRow,
  OneTimeLinkRow,
  RecoveryCodeRow,
  SecondFactorRow,
  SessionRow,
  SignInChallengeRow,
  SignInFailureRow,
  SsoAdministratorRow,
  SsoCodeRow,
  SsoRoleRow,
  SsoStateRow,
  UserRow,
  VerificationRow,
} from './tables/users.ts';

/**
 * The tables of both engines, except the tables of the `knowledge` module. Times are Unix milliseconds, JSON is text,
 * and booleans are 0 or 1. In the tables of better-auth (`users`, `sessions`, `accounts`, `verifications`), times in
 * string columns have the format of its adapter: ISO 8601 on SQLite.
 */
export interface Tables {
  users: UserRow;
  sessions: SessionRow;
  accounts: AccountRow;
  verifications: VerificationRow;
  sign_in_failures: SignInFailureRow;
  one_time_links: OneTimeLinkRow;
  second_factors: SecondFactorRow;
  recovery_codes: RecoveryCodeRow;
  sign_in_challenges: SignInChallengeRow;
  spaces: SpaceRow;
  space_origins: SpaceOriginRow;
  bots: BotRow;
  bot_members: BotMemberRow;
  tools: ToolRow;
  tool_consents: ToolConsentRow;
  page_tool_calls: PageToolCallRow;
  running_answers: RunningAnswerRow;
  invitations: InvitationRow;
  api_keys: ApiKeyRow;
  event_sources: EventSourceRow;
  event_source_secrets: EventSourceSecretRow;
  event_consumers: EventConsumerRow;
  event_cursors: EventCursorRow;
  subscriptions: SubscriptionRow;
  deliveries: DeliveryRow;
  successful_deliveries: SuccessfulDeliveryRow;
  rejected_events: RejectedEventRow;
  links: LinkRow;
  conversations: ConversationRow;
  messages: MessageRow;
  attachments: AttachmentRow;
  signing_keys: SigningKeyRow;
  installation: InstallationRow;
  idempotent_responses: IdempotentResponseRow;
  audit_entries: AuditRow;
  audit_outbox: AuditOutboxRow;
  conversation_outbox: ConversationOutboxRow;
  usage_days: UsageDayRow;
  budget_days: BudgetDayRow;
  sso_administrators: SsoAdministratorRow;
  sso_roles: SsoRoleRow;
  sso_states: SsoStateRow;
  sso_codes: SsoCodeRow;
}

export type Database = Kysely<Tables>;
