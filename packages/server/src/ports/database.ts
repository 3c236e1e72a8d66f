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
  links: LinkRow;
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
