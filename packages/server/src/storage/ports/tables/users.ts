import type { Generated } from 'kysely';
import type { BotMemberRow } from './spaces.ts';

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

export interface UserTables {
  users: UserRow;
  sessions: SessionRow;
  accounts: AccountRow;
  verifications: VerificationRow;
  sign_in_failures: SignInFailureRow;
  one_time_links: OneTimeLinkRow;
  second_factors: SecondFactorRow;
  recovery_codes: RecoveryCodeRow;
  sign_in_challenges: SignInChallengeRow;
  sso_administrators: SsoAdministratorRow;
  sso_roles: SsoRoleRow;
  sso_states: SsoStateRow;
  sso_codes: SsoCodeRow;
}
