import type { Generated } from 'kysely';

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

/** An answer in progress that can be resumed. Times are Unix milliseconds. */
export interface RunningAnswerRow {
  id: string;
  space_id: string;
  /** Only sessions of this link may read the answer. */
  link_id: string;
  /** The client's ID of the chat. */
  chat_id: string;
  conversation_id: string;
  /** Encrypted parts of the stream. */
  sealed: string;
  /** 1 if the person stopped the answer. */
  is_stopped: number;
  ended: number;
  /** Time at which the client disconnected. */
  detached_at: number | null;
  /** Time of the last read by a client that returned. */
  followed_at: number | null;
  updated_at: number;
}

/** A call of a tool of the embedding page, while the page runs it. */
export interface PageToolCallRow {
  id: string;
  space_id: string;
  /** Only sessions of this link may return the result. */
  link_id: string;
  /** Encrypted result. Null until the client returns it. */
  sealed: string | null;
  expires_at: number;
}

/** An erasure of a person whose last step is not complete. */
export interface ErasureRow {
  space_id: string;
  /** Keyed hash that replaces the `sub` in the audit. */
  pseudonym: string;
  /** Encrypted `sub`. */
  sealed_sub: string;
  /** 1: also erases the events with this subject. */
  with_events: number;
  /** Time at which the links of the person ended. Unix milliseconds. */
  ended_at: number;
  /** Position up to which the request has erased the events. Null while the request is running, or after it failed. */
  erased_through: number | null;
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

export interface SpaceTables {
  spaces: SpaceRow;
  space_origins: SpaceOriginRow;
  bots: BotRow;
  bot_members: BotMemberRow;
  tools: ToolRow;
  tool_consents: ToolConsentRow;
  page_tool_calls: PageToolCallRow;
  running_answers: RunningAnswerRow;
  erasures: ErasureRow;
  invitations: InvitationRow;
  api_keys: ApiKeyRow;
}
