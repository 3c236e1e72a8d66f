import type { Generated, Kysely } from 'kysely';

/**
 * The tables, as both engines hold them. Our own times are Unix milliseconds; those of the four
 * tables that better-auth fills (`users`, `sessions`, `accounts`, `verifications`) are what its
 * adapter writes for the engine (ISO 8601 text on SQLite). JSON is kept as text, and booleans as 0 or 1.
 */
export interface Tables {
  users: UserRow;
  sessions: SessionRow;
  accounts: AccountRow;
  verifications: VerificationRow;
  spaces: SpaceRow;
  space_origins: SpaceOriginRow;
  bots: BotRow;
  bot_members: BotMemberRow;
  api_keys: ApiKeyRow;
  event_sources: EventSourceRow;
  event_source_secrets: EventSourceSecretRow;
  event_consumers: EventConsumerRow;
  event_cursors: EventCursorRow;
  subscriptions: SubscriptionRow;
  deliveries: DeliveryRow;
  links: LinkRow;
  conversations: ConversationRow;
  messages: MessageRow;
  signing_keys: SigningKeyRow;
  installation: InstallationRow;
}

export type Database = Kysely<Tables>;

export interface UserRow {
  id: string;
  name: string;
  email: string;
  email_verified: number;
  image: string | null;
  is_admin: Generated<number>;
  /** Unix milliseconds; null while the user may sign in. */
  disabled_at: number | null;
  created_at: string;
  updated_at: string;
}

export interface SessionRow {
  id: string;
  user_id: string;
  /** SHA-256 of the token, hex. */
  token: string;
  expires_at: string;
  ip_address: string | null;
  user_agent: string | null;
  created_at: string;
  updated_at: string;
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
  /** A salted scrypt hash. */
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

export interface SpaceRow {
  id: string;
  name: string;
  created_at: number;
  /** Null: as the installation says; so is the next. */
  events_max_age_days: number | null;
  events_max_bytes: number | null;
}

export interface SpaceOriginRow {
  space_id: string;
  /** Place in the list, from 0. */
  position: number;
  origin: string;
}

export interface BotRow {
  id: Generated<number>;
  space_id: string;
  name: string;
  system_prompt: string | null;
  greeting: string | null;
  /** JSON array of strings. */
  suggestions: string;
  model: string | null;
  created_at: number;
}

export interface BotMemberRow {
  space_id: string;
  bot_id: number;
  user_id: string;
  role: 'viewer' | 'editor' | 'owner';
  created_at: number;
}

export interface ApiKeyRow {
  id: string;
  space_id: string;
  name: string;
  /** The first characters of the key, to recognise it by. */
  prefix: string;
  /** SHA-256 of the key, hex. */
  key_hash: string;
  /** JSON array of scopes. */
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
  /** The secret, encrypted. */
  sealed: string;
  created_at: number;
  /** Until when it is accepted; null for the current one. */
  ends_at: number | null;
}

/** A durable consumer that began at the newest events of its time. */
export interface EventConsumerRow {
  name: string;
  created_at: number;
}

export interface EventCursorRow {
  space_id: string;
  /** The consumer's name. */
  consumer: string;
  /** Everything up to here is done with. */
  position: number;
  updated_at: number;
}

export interface SubscriptionRow {
  id: string;
  space_id: string;
  url: string;
  /** JSON array of patterns; null for all. */
  types: string | null;
  sources: string | null;
  state: 'active' | 'disabled' | 'ended';
  end_reason: string | null;
  /** JSON array of `{ sealed, createdAt, endsAt }`, the current one first. */
  secrets: string;
  /** Raised with every change that somebody makes of it: whoever serves it begins anew. */
  revision: number;
  /** Raised when somebody sends some of its deliveries again or deletes one: whoever serves it looks at its rows. */
  deliveries_revision: number;
  /** Up to here every event is delivered, was not asked for, or has a row in `deliveries`. */
  position: number;
  last_delivered_at: number | null;
  last_failed_at: number | null;
  last_failed_status: number | null;
  last_failure: string | null;
  created_at: number;
}

/** An event that could not be delivered at once. */
export interface DeliveryRow {
  space_id: string;
  subscription_id: string;
  /** Of the event in its space's feed. */
  position: number;
  state: 'waiting' | 'parked';
  /** How often it was parked and is sent again. */
  resent: number;
  event_id: string;
  source: string;
  type: string;
  subject: string | null;
  /** The event's JSON text. */
  text: string;
  /** Of the text, UTF-8. */
  bytes: number;
  received_at: number;
  waiting_since: number;
  next_attempt_at: number;
  attempts: number;
  last_attempt_at: number | null;
  last_status: number | null;
  last_failure: string | null;
}

export interface LinkRow {
  id: string;
  space_id: string;
  /** SHA-256 of the token, hex. */
  token_hash: string;
  token_prefix: string;
  sub: string | null;
  /** The JWT payload, JSON. */
  payload: string;
  /** JSON object, or null when none was given. */
  user_information: string | null;
  /** The bot that was asked for; null: the first of the space answers. */
  bot_id: number | null;
  /** Unix seconds, as given: may have a fraction. */
  exp: number;
  created_at: number;
  revoked_at: number | null;
  exchanges: Generated<number>;
  last_exchanged_at: number | null;
}

export interface ConversationRow {
  id: string;
  space_id: string;
  /** Whose it is: a `sub` or a link, never what a browser said. */
  owner: string;
  /** The link that it belongs to and ends with; null when it belongs to a `sub`. */
  link_id: string | null;
  /** The client's own id of the chat, by which it finds the conversation again. */
  chat_id: string;
  title: string;
  created_at: number;
  /** When something was last said. */
  updated_at: number;
}

export interface MessageRow {
  id: string;
  space_id: string;
  conversation_id: string;
  /** Place in the conversation. */
  position: number;
  role: 'user' | 'assistant';
  /** The client's own id of a question; null for answers. */
  sent_id: string | null;
  text: string;
  /** Of an answer; questions are `finished`. */
  state: 'finished' | 'stopped' | 'failed';
  /** Why an answer failed: the code that its client was told. */
  failure: string | null;
  /** JSON array of what an answer cites. */
  sources: string;
  /** JSON array of the ids of all documents that an answer could have drawn on, by way of earlier answers included. */
  documents: string;
  input_tokens: number | null;
  output_tokens: number | null;
  /** The model that answered; null where none did. */
  model: string | null;
  /** Millionths of the unit of the operator's prices; null where there are none, or the model did not say what it took. */
  cost_millionths: number | null;
  rating: 'up' | 'down' | null;
  comment: string | null;
  created_at: number;
}

/** A key that signs widget sessions. */
export interface SigningKeyRow {
  /** From 1; each later one takes over from the one before. */
  generation: number;
  /** RFC 7638 thumbprint of the public half. */
  kid: string;
  /** The private JWK, encrypted. */
  sealed: string;
  created_at: number;
  signs_from: number;
  /** Until when all earlier ones verify. */
  earlier_until: number;
}

/** Something that is known of the installation as a whole. */
export interface InstallationRow {
  name: string;
  value: string;
}
