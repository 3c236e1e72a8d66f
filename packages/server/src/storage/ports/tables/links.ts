import type { Generated } from 'kysely';
import type { AuditRow } from './platform.ts';

export interface LinkRow {
  id: string;
  space_id: string;
  /** Cluster and SHA-256 of the token, in hex (`links/links/link-token.rules.ts`). Links of earlier releases have no cluster. */
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
  /** Hash of the token if the link is the record of a request with an `Idempotency-Key`. `token_hash` is then the hash of the token's selector. */
  token_check: string | null;
  /** Who created the link. Null if `audit_entries` contains the creation, or if it is not recorded. The next columns are then null, too. */
  creator_kind: AuditRow['actor_kind'] | null;
  creator_id: string | null;
  /** ID of the session with which a user created the link. */
  creator_session: string | null;
  creator_address: string | null;
  /** 1 if the request contained a `permissionFilter`. */
  has_permission_filter: number | null;
}

export interface ConversationRow {
  id: string;
  space_id: string;
  /** Owner key, derived from the `sub` or the link. Never a value from the browser. */
  owner: string;
  /** Owning link. The conversation ends when the link ends. Null if a `sub` owns the conversation. */
  link_id: string | null;
  /** Chat ID that the client chose. */
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
  /** Message ID that the client chose. Null for answers. */
  sent_id: string | null;
  text: string;
  /** State of an answer. Questions are always `finished`. */
  state: 'finished' | 'stopped' | 'failed';
  /** Error code that the client received. Null unless the answer failed. */
  failure: string | null;
  sources: string;
  /**
   * JSON array of all documents that may have influenced an answer, directly or through earlier answers: their IDs, each followed by a
   * space and the `updated_at` of the version. Answers that were stored before migration 32 contain only the IDs.
   */
  documents: string;
  /** SHA-256 of the filter in whose scope an answer was given. Null for questions, messages of people, and before migration 32. */
  filter_digest: string | null;
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
  /** JSON array with the parts of the attachments of a question. Null if there are none. */
  attachments: string | null;
}

/** The text of a file that a visitor attached to a chat. The file itself is not stored. */
export interface AttachmentRow {
  id: string;
  space_id: string;
  /** Owner key of the conversation. */
  owner: string;
  /** Link through which the file was uploaded. */
  link_id: string;
  /** Chat ID of the conversation, which need not exist yet. */
  chat_id: string;
  /** Question with the attachment. Null until the question is stored, and for links without stored conversations. */
  message_id: string | null;
  file_name: string;
  mime_type: string;
  /** Size of the file in bytes. */
  size: number;
  /** JSON array of passages. */
  passages: string;
  created_at: number;
  /** Null as soon as a stored question has the attachment. */
  expires_at: number | null;
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

export interface LinkTables {
  links: LinkRow;
  conversations: ConversationRow;
  messages: MessageRow;
  attachments: AttachmentRow;
  conversation_outbox: ConversationOutboxRow;
}
