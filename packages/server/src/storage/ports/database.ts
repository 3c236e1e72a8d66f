import type { Generated, Kysely } from 'kysely';

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

export interface UserRow {
  id: string;
  name: string;
  email: string;
  email_verified: number;
  image: string | null;
  is_admin: Generated<number>;
  /** Unix milliseconds. Null if the user may sign in. */
  disabled_at: number | null;
  created_at: string;
  updated_at: string;
}

export interface SessionRow {
  id: string;
  user_id: string;
  /** SHA-256 of the token, hexadecimal. */
  token: string;
  expires_at: string;
  ip_address: string | null;
  user_agent: string | null;
  created_at: string;
  updated_at: string;
  /** Unix milliseconds, rounded down to the minute. Null before the first use. */
  last_used_at: number | null;
}

export interface AccountRow {
  id: string;
  account_id: string;
  provider_id: string;
  user_id: string;
  access_token: string | null;
  refresh_token: string | null;
  id_token: string | null;
  access_token_expires_at: string | null;
  refresh_token_expires_at: string | null;
  scope: string | null;
  password: string | null;
  created_at: string;
  updated_at: string;
}

export interface VerificationRow {
  id: string;
  identifier: string;
  value: string;
  expires_at: string;
  created_at: string;
  updated_at: string;
}

/** Failed sign-ins with one email address, whether a user has the address or not. */
export interface SignInFailureRow {
  /** Keyed hash of the email address. */
  key: string;
  failures: number;
  /** Time until which attempts are rejected. 0: attempts are not blocked. */
  blocked_until: number;
  /** Time at which the failures are forgotten. */
  ends_at: number;
}

export interface OneTimeLinkRow {
  id: string;
  purpose: 'setup' | 'reset' | 'sign-in';
  /** Null for a setup link. */
  user_id: string | null;
  /** SHA-256 of the token, hexadecimal. */
  token_hash: string;
  created_at: number;
  expires_at: number;
  /** Time at which the link was used or replaced. */
  ended_at: number | null;
}

export interface SecondFactorRow {
  user_id: string;
  /** Secret of the authenticator app, encrypted. */
  secret: string;
  created_at: number;
  /** Time of the first code. Null: sign-ins do not need a code yet. */
  enabled_at: number | null;
  /** Time step of the latest accepted code. Codes of this step and of earlier steps are rejected. */
  last_step: number;
  /** Wrong codes since the last sign-in. */
  failures: number;
  /** Time until which codes are rejected. 0: codes are not blocked. */
  blocked_until: number;
}

export interface RecoveryCodeRow {
  user_id: string;
  /** SHA-256 of the code, hexadecimal. */
  code_hash: string;
}

/** A sign-in that has passed its first step. */
export interface SignInChallengeRow {
  /** SHA-256 of the token, hexadecimal. */
  token_hash: string;
  user_id: string;
  /** SHA-256 of the stored password hash. A challenge of an earlier password is void. */
  password_digest: string;
  expires_at: number;
}

export interface SpaceRow {
  id: string;
  name: string;
  created_at: number;
  /** Retention in days. Null uses the installation's default. */
  events_max_age_days: number | null;
  /** Maximum size of the stored events, in bytes. Null uses the installation's default. */
  events_max_bytes: number | null;
  /** JSON object in the filter language. Null: the space has no filter of its own. */
  permission_filter: Generated<string | null>;
  /** 1 if every new link needs a `permissionFilter`. */
  require_link_filter: Generated<number>;
  /** Users who may read the conversations of the space. */
  conversation_access: Generated<'owners' | 'editors' | 'nobody'>;
  /** 1 if the space reports its conversations as events. */
  conversation_events: Generated<number>;
  /** JSON object with the limits for models. Null: no limits. */
  budget: Generated<string | null>;
}

export interface SpaceOriginRow {
  space_id: string;
  position: number;
  origin: string;
}

export interface BotRow {
  id: Generated<number>;
  space_id: string;
  name: string;
  system_prompt: string | null;
  greeting: string | null;
  suggestions: string;
  model: string | null;
  created_at: number;
  /** JSON object: the settings of handoffs. Null: the bot hands no conversation over. */
  handoff: string | null;
  /** Text that says whom to contact. */
  contact: string | null;
}

export interface BotMemberRow {
  space_id: string;
  bot_id: number;
  user_id: string;
  role: 'viewer' | 'editor' | 'owner';
  created_at: number;
}

export interface ToolRow {
  id: string;
  space_id: string;
  bot_id: number;
  name: string;
  title: string | null;
  description: string;
  url: string;
  /** JSON Schema of the arguments. */
  input_schema: string;
  consent: number;
  /** Encrypted signing secret. */
  sealed: string;
  created_at: number;
  updated_at: number;
}

/** A tool call that waits for the decision of a person. */
export interface ToolConsentRow {
  id: string;
  space_id: string;
  /** Only sessions of this link may decide. */
  link_id: string;
  /** Null until a person decides. */
  decision: 'allow' | 'deny' | null;
  expires_at: number;
}

export interface InvitationRow {
  id: string;
  space_id: string;
  bot_id: number;
  /** Invited email address, in lower case. */
  email: string;
  role: 'viewer' | 'editor' | 'owner';
  /** The user who created the invitation. */
  invited_by: string;
  /** SHA-256 of the token, hexadecimal. */
  token_hash: string;
  created_at: number;
  expires_at: number;
  /** Time at which the invitation was redeemed, replaced or withdrawn. */
  ended_at: number | null;
}

export interface ApiKeyRow {
  id: string;
  space_id: string;
  name: string;
  prefix: string;
  /** SHA-256 of the key, hexadecimal. */
  key_hash: string;
  scopes: string;
  expires_at: number | null;
  created_at: number;
  last_used_at: number | null;
}

export interface EventSourceRow {
  id: string;
  space_id: string;
  name: string;
  source: string;
  match: 'exact' | 'prefix';
  signature_required: number;
  feeds_knowledge: Generated<number>;
  created_at: number;
}

export interface EventSourceSecretRow {
  id: string;
  space_id: string;
  source_id: string;
  sealed: string;
  created_at: number;
  /** Time until which signatures with this secret are accepted. Null for the current secret. */
  ends_at: number | null;
}

/** A durable consumer that started at the newest events instead of the oldest. */
export interface EventConsumerRow {
  name: string;
  created_at: number;
}

export interface EventCursorRow {
  space_id: string;
  consumer: string;
  /** Position of the last processed event. */
  position: number;
  updated_at: number;
}

export interface SubscriptionRow {
  id: string;
  space_id: string;
  url: string;
  /** JSON array of patterns. Null matches all types. */
  types: string | null;
  /** JSON array of patterns. Null matches all sources. */
  sources: string | null;
  state: 'active' | 'disabled' | 'ended';
  end_reason: string | null;
  /** JSON array of `{ sealed, createdAt, endsAt }`. The current secret is first. */
  secrets: string;
  /** Incremented by every change of the subscription. The dispatcher then reloads the subscription. */
  revision: number;
  /** Incremented when a user resends or deletes deliveries. The dispatcher then reloads the deliveries. */
  deliveries_revision: number;
  /** Checkpoint: each event up to this position was delivered, does not match, or has a row in `deliveries`. */
  position: number;
  last_delivered_at: number | null;
  last_failed_at: number | null;
  last_failed_status: number | null;
  last_failure: string | null;
  created_at: number;
  /** Number of replays that were started. Identifies the replay in the columns below. */
  replay_number: number;
  /** Earliest time of receipt of the replayed events. All columns of the replay are null before the first replay. */
  replay_from: number | null;
  /** Each event of the replay up to this position was delivered, does not match, or has a row in `deliveries`. */
  replay_position: number | null;
  /** Last position of the replay. */
  replay_through: number | null;
  replay_started_at: number | null;
  replay_ended_at: number | null;
  replay_state: 'running' | 'finished' | 'cancelled' | null;
}

/** An event that was not delivered immediately. */
export interface DeliveryRow {
  space_id: string;
  subscription_id: string;
  /** Position of the event in the log of its space. */
  position: number;
  state: 'waiting' | 'parked';
  /** Number of times a user resent this delivery after it was parked. */
  resent: number;
  event_id: string;
  source: string;
  type: string;
  subject: string | null;
  text: string;
  bytes: number;
  received_at: number;
  waiting_since: number;
  next_attempt_at: number;
  attempts: number;
  last_attempt_at: number | null;
  last_status: number | null;
  last_failure: string | null;
  /** JSON array of the newest attempts, oldest first. */
  attempt_log: string;
}

/** A delivery that the target answered with a 2xx status. */
export interface SuccessfulDeliveryRow {
  space_id: string;
  subscription_id: string;
  /** Time of the delivery in thousandths of a millisecond, made unique. */
  sequence: number;
  position: number;
  event_id: string;
  source: string;
  type: string;
  subject: string | null;
  received_at: number;
  waiting_since: number;
  delivered_at: number;
  attempts: number;
  status: number;
  /** Size of the strings in this row, in characters. */
  bytes: number;
  attempt_log: string;
}

/** An event or a request that was rejected. */
export interface RejectedEventRow {
  space_id: string;
  /** UUIDv7, which orders the rows by time. */
  id: string;
  at: number;
  kind: 'event' | 'request';
  reason: string;
  /** JSON object with the remaining members of the item. */
  details: string;
}

export interface LinkRow {
  id: string;
  space_id: string;
  /** SHA-256 of the token, hexadecimal. */
  token_hash: string;
  token_prefix: string;
  sub: string | null;
  payload: string;
  /** JSON object. Null if the request contained none. */
  user_information: string | null;
  /** Requested bot. Null selects the first bot of the space. */
  bot_id: number | null;
  /** Expiry in Unix seconds. May have a fraction. */
  exp: number;
  created_at: number;
  revoked_at: number | null;
  exchanges: Generated<number>;
  last_exchanged_at: number | null;
  /** 1 if the link has a `permissionFilter` that can exclude documents. Null for links of earlier releases. */
  restricted: number | null;
  /** JSON array of texts about misspelt members of `widget`. Null if `restricted` is null. */
  warnings: string | null;
}

export interface ConversationRow {
  id: string;
  space_id: string;
  /** Owner key, derived from the `sub` or the link. Never a value from the browser. */
  owner: string;
  /** Owning link. The conversation ends when the link ends. Null if a `sub` owns the conversation. */
  link_id: string | null;
  /** Chat id that the client chose. */
  chat_id: string;
  /** Empty until the first question. */
  title: string;
  created_at: number;
  updated_at: number;
  /** ID of the newest handoff. The columns of the handoff are null if the conversation was never handed over. */
  handoff_id: string | null;
  handoff_state: 'requested' | 'active' | 'ended' | null;
  handoff_requested_at: number | null;
  /** Link through which a person was asked for. Its revocation ends the handoff. */
  handoff_link_id: string | null;
  /** Name of the person who answered first. Null while the handoff waits. */
  handoff_author: string | null;
  handoff_ended_at: number | null;
}

export interface MessageRow {
  id: string;
  space_id: string;
  conversation_id: string;
  position: number;
  role: 'user' | 'assistant';
  /** Message id that the client chose. Null for answers. */
  sent_id: string | null;
  text: string;
  /** State of an answer. Questions are always `finished`. */
  state: 'finished' | 'stopped' | 'failed';
  /** Error code that the client received. Null unless the answer failed. */
  failure: string | null;
  sources: string;
  /** JSON array with the ids of all documents that may have influenced an answer, directly or through earlier answers. */
  documents: string;
  input_tokens: number | null;
  output_tokens: number | null;
  /** Model that generated the answer. Null if no model was used. */
  model: string | null;
  /** Cost in millionths of the operator's currency unit. Null if the price or the number of tokens is unknown. */
  cost_millionths: number | null;
  rating: 'up' | 'down' | null;
  comment: string | null;
  created_at: number;
  /** 1: the answer is based on documents or is small talk. 0: the assistant found nothing. Null: unknown, or a question. */
  answered: number | null;
  /** Link through which a question was asked. The link may have been deleted. Null for answers. */
  link_id: string | null;
  /** Name of the person who wrote an answer. Null for questions, and for answers of the assistant. */
  author: string | null;
  /** Handoff during which the message was sent. Null outside of handoffs. */
  handoff_id: string | null;
}

export interface SigningKeyRow {
  /** Number of the key, starting at 1. Each new key replaces the previous key. */
  generation: number;
  /** RFC 7638 thumbprint of the public key. */
  kid: string;
  /** Encrypted private JWK. */
  sealed: string;
  created_at: number;
  signs_from: number;
  /** Time until which signatures by earlier keys are accepted. */
  earlier_until: number;
}

export interface InstallationRow {
  name: string;
  value: string;
}

/** Usage of a space on one day. */
export interface UsageDayRow {
  space_id: string;
  /** UTC, such as `2026-05-03`. */
  day: string;
  questions: number;
  input_tokens: number;
  output_tokens: number;
  cost_millionths: number;
  documents: number;
  events: number;
}

/** An event about a conversation that is not in the event log of its space yet. Triggers insert the rows. Contains no text. */
export interface ConversationOutboxRow {
  /** Increases with each event. Events of concurrent transactions can be numbered in any order. */
  number: Generated<number>;
  /** ID of the event. */
  id: string;
  space_id: string;
  /** Last part of the type of the event. */
  event: 'started' | 'asked' | 'answered' | 'rated' | 'handoff' | 'handoff-ended' | 'ended';
  conversation_id: string;
  message_id: string | null;
  link_id: string | null;
  /** Rating of an answer, or `assistant` or `team` as the author of an answer. */
  detail: string | null;
  at: number;
}

/** Amounts that count towards a budget. */
export interface BudgetDayRow {
  space_id: string;
  /** Empty for the budget of the space. */
  link_id: string;
  /** UTC, such as `2026-05-03`. */
  day: string;
  tokens: number;
  cost_millionths: number;
}

/** An audit entry that is not in the event log of the audit space yet. A trigger inserts the rows. */
export interface AuditOutboxRow {
  /** Increases with each entry. Entries that are recorded concurrently can be numbered in any order. */
  number: Generated<number>;
  id: string;
}

/** An entry of the audit. Only `sub` can change. */
export interface AuditRow {
  /** UUIDv7, so entries are ordered by time. */
  id: string;
  /** Unix milliseconds. */
  at: number;
  action: string;
  actor_kind: 'user' | 'api-key' | 'link' | 'operator' | 'anonymous';
  actor_id: string | null;
  session_id: string | null;
  address: string | null;
  resource_space_id: string | null;
  resource_id: string | null;
  /** Replaced by a pseudonym when the person is erased. */
  sub: string | null;
  /** JSON, or null. */
  details: string | null;
}

/** The first response to a request with an `Idempotency-Key`. */
export interface IdempotentResponseRow {
  /** Kind and id of the caller, such as `key 0199f3a2-…`. */
  caller: string;
  /** Keyed hash of the caller and the `Idempotency-Key`. */
  key_hash: string;
  /** Space of the created resource. Null if the resource has no space. */
  resource_space_id: string | null;
  /** Pseudonym of the person whom the response concerns, or null. */
  subject_hash: string | null;
  /** The encrypted response. */
  sealed: string;
  expires_at: number;
}

/** An administrator by a group of the OpenID provider. */
export interface SsoAdministratorRow {
  user_id: string;
}

/** A role that a group of the OpenID provider grants. `bot_members` contains the same role. */
export interface SsoRoleRow {
  space_id: string;
  bot_id: number;
  user_id: string;
  role: BotMemberRow['role'];
  /** Role that an owner assigned before. Null if the user had no role. */
  manual_role: BotMemberRow['role'] | null;
}

/** A `state` of single sign-on that has been used. */
export interface SsoStateRow {
  /** SHA-256, hexadecimal. */
  state_hash: string;
  /** Unix milliseconds. After this time, the cookie with the state is no longer accepted. */
  expires_at: number;
}

export interface SsoCodeRow {
  /** SHA-256 of the code and its half in the cookie, hexadecimal. */
  code_hash: string;
  user_id: string;
  /** Unix milliseconds. */
  expires_at: number;
}
