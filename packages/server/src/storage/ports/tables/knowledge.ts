import type { Generated, Kysely } from 'kysely';

/** The tables of knowledge. Only the `knowledge` module gets access to them, and every query requires a scope. */
export interface KnowledgeTables {
  documents: DocumentRow;
  document_parts: DocumentPartRow;
  document_values: DocumentValueRow;
  document_events: DocumentEventRow;
  document_remains: DocumentRemainsRow;
  knowledge_spaces: KnowledgeSpaceRow;
  projections: ProjectionRow;
  records: RecordRow;
  record_subjects: RecordSubjectRow;
  document_versions: DocumentVersionRow;
  crawls: CrawlRow;
  crawl_pages: CrawlPageRow;
}

export interface KnowledgeSpaceRow {
  space_id: string;
  /** Number of indexed versions that have replaced another version. */
  replacements: Generated<number>;
}

export type KnowledgeDatabase = Kysely<KnowledgeTables>;

export interface DocumentRow {
  id: string;
  space_id: string;
  /** Number that identifies the document's passages and parts. Never reused. `PassageIndex.renumberWrites` replaces it. */
  number: Generated<number>;
  file_name: string;
  mime_type: string;
  language: string | null;
  /** Title in the file. Null until the document is indexed, or if the file has none. */
  title: string | null;
  /** Title in the request or event. Takes precedence over `title`. */
  given_title: string | null;
  /** Absolute `http` or `https` URL. */
  url: string | null;
  size: number;
  /** SHA-256 of the original file, hexadecimal. */
  sha256: string;
  state: 'processing' | 'ready' | 'failed';
  failure: string | null;
  /** Number of indexing attempts that did not finish. */
  attempts: Generated<number>;
  passages: number;
  /** JSON object. */
  metadata: string;
  /** Metadata with all strings case-folded, for case-insensitive comparison. */
  metadata_folded: string;
  /** JSON with the values that dotted names select through arrays, for filters. Null if there are none. */
  metadata_collected: string | null;
  file_name_folded: string;
  /** Subject of the events that synchronise the document. Null for uploaded documents. */
  subject: string | null;
  /** Key of the requests that replace the document. Null for documents without a key. */
  external_key: string | null;
  /**
   * Number of the current version of the document, in the row of a newer version. Such rows are never shown. The current version is
   * shown only in scopes that also contain its newer versions.
   */
  replaces: number | null;
  /** Number of the newest version, in the row of a current version that is being replaced. */
  next_number: number | null;
  /** Projection that derives this record from events. Null for all other documents. */
  projection_id: Generated<string | null>;
  /** Model of the vectors. Null queues the document for the model. Records contain an empty string, because they have no vectors. */
  embedded_by: Generated<string | null>;
  /** RFC 3339 in UTC with milliseconds. Filters compare it as a string. */
  created_at: string;
  updated_at: string;
}

export interface DocumentPartRow {
  space_id: string;
  document: number;
  /** Index of the part, starting at 0. */
  part: number;
  bytes: Uint8Array;
}

export interface DocumentVersionRow {
  space_id: string;
  document_id: string;
  /** Counts the versions of the document from 1. */
  version: number;
  /** Number under which `document_parts` contains the original. The document itself can have the same number. */
  content: number;
  file_name: string;
  mime_type: string;
  language: string | null;
  /** Title in the file. */
  title: string | null;
  given_title: string | null;
  url: string | null;
  size: number;
  sha256: string;
  /** JSON object. */
  metadata: string;
  /** Time at which the document got this version. RFC 3339 in UTC with milliseconds. */
  stored_at: string;
}

/** The data of a deleted document, or an original that is being uploaded. */
export interface DocumentRemainsRow {
  space_id: string;
  number: number;
  /** Time after which the indexer removes the data, in Unix milliseconds. 0 for deleted documents. */
  due_at: Generated<number>;
}

export interface DocumentValueRow {
  space_id: string;
  path: string;
  value: string;
  document: number;
}

/** The newest processed event of a subject. It determines the state of the subject's document. */
export interface DocumentEventRow {
  space_id: string;
  subject: string;
  id: string;
  /** Position of the event in the log of its space. */
  position: number;
  event_id: string;
  source: string;
  type: 'upserted' | 'deleted';
  /** Unix milliseconds. */
  received_at: number;
  state: 'applied' | 'failed';
  failure: string | null;
  /** Unix milliseconds. */
  updated_at: number;
}

/** A site that is crawled. */
export interface CrawlRow {
  space_id: string;
  id: string;
  /** JSON object. */
  definition: string;
  state: 'idle' | 'running' | 'deleting';
  /** Number of the current or last run. 0 before the first run. */
  run: number;
  /** Incremented by every change outside of the crawler. The crawler then discards the page that it is fetching. */
  revision: number;
  /** Unix milliseconds. Null without a schedule. */
  next_run_at: number | null;
  /** The crawler pauses until this time, because the site asked for it. Unix milliseconds. */
  paused_until: Generated<number>;
  /** JSON object: progress of the current or last run. */
  progress: string;
  /** Unix milliseconds. */
  created_at: number;
  updated_at: number;
}

/** A URL that a crawl has found. */
export interface CrawlPageRow {
  space_id: string;
  crawl_id: string;
  url: string;
  /** The last run that found the URL. */
  run: number;
  depth: number;
  /** Null while the page is queued. */
  result: 'sent' | 'unchanged' | 'alias' | 'excluded' | 'gone' | 'failed' | null;
  reason: string | null;
  /** HTTP status. */
  status: number | null;
  attempts: Generated<number>;
  /** Time of the next attempt. Unix milliseconds. */
  due_at: Generated<number>;
  /** 1 if an event with the document of this page may have been sent, and no deletion afterwards. */
  has_document: Generated<number>;
  /** Digest of the content and the properties that were sent. */
  digest: string | null;
  /** Digest of the properties that were sent, without the content. */
  properties: string | null;
  etag: string | null;
  last_modified: string | null;
  /** Compressed URLs that the page links to. */
  links: Uint8Array | null;
  /** Unix milliseconds. */
  fetched_at: number | null;
}

/** A definition that derives records from the events of a space. */
export interface ProjectionRow {
  space_id: string;
  id: string;
  /** JSON object. */
  definition: string;
  state: 'clearing' | 'building' | 'publishing' | 'live' | 'deleting';
  /** Incremented when the records are derived again. Records of earlier generations are outdated. */
  generation: number;
  /** Incremented by every change outside of the worker. The worker then discards its page. */
  revision: number;
  /** Position of the last event that was merged. */
  position: number;
  /** Key of the last published record. Null unless the state is `publishing`. */
  published_key: string | null;
  /** Unix milliseconds. */
  created_at: number;
  updated_at: number;
}

/** The merged events of a record. The row remains after the record is deleted, so a late event cannot restore the record. */
export interface RecordRow {
  space_id: string;
  projection_id: string;
  key: string;
  generation: number;
  /** Number of the record's document. Null if the record was deleted or is not published yet. */
  document: number | null;
  /** Position of the newest merged event. */
  newest_position: number;
  /** JSON object. */
  state: string;
}

/** A subject of the events that a record depends on. */
export interface RecordSubjectRow {
  space_id: string;
  subject: string;
  projection_id: string;
  key: string;
}
