import type { Generated } from 'kysely';

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
  /** Kind and ID of the caller, such as `key 0199f3a2-…`. */
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

export interface PlatformTables {
  signing_keys: SigningKeyRow;
  installation: InstallationRow;
  idempotent_responses: IdempotentResponseRow;
  audit_entries: AuditRow;
  audit_outbox: AuditOutboxRow;
  usage_days: UsageDayRow;
  budget_days: BudgetDayRow;
}
