import type { Passage } from '../../storage/ports/index.ts';

export type { Passage };

/** Supported formats, in the order in which error messages list them. */
export const FORMATS = [
  { mimeType: 'text/plain', name: 'plain text', extensions: ['.txt', '.text'] },
  { mimeType: 'text/markdown', name: 'Markdown', extensions: ['.md', '.markdown'] },
  { mimeType: 'text/html', name: 'HTML', extensions: ['.html', '.htm', '.xhtml'] },
  { mimeType: 'text/csv', name: 'CSV', extensions: ['.csv', '.tsv'] },
  { mimeType: 'application/json', name: 'JSON', extensions: ['.json'] },
  { mimeType: 'application/pdf', name: 'PDF', extensions: ['.pdf'] },
  {
    mimeType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    name: 'Word (DOCX)',
    extensions: ['.docx'],
  },
] as const;

export type Format = (typeof FORMATS)[number];
export type KnownMimeType = Format['mimeType'];

/** Reason why an extraction failed. The document is the cause, so a retry fails again. */
export type ExtractionFailureCode =
  /** The document has no text, for example because it is a scan. */
  | 'empty'
  /** The text is neither UTF-8 nor UTF-16 with a byte order mark. */
  | 'not-unicode'
  /** The document requires a password. */
  | 'encrypted'
  /** The document does not match its format, or it is truncated. */
  | 'corrupt'
  /** The bytes, unpacked bytes, text, passages or pages exceed a limit. */
  | 'too-large'
  /** Parsing exceeded the time limit. */
  | 'too-slow'
  /** The document is nested too deeply, or parsing exceeded the memory limit. */
  | 'too-complex';

/** A document that cannot be extracted. */
export interface ExtractionFailure {
  readonly ok: false;
  readonly code: ExtractionFailureCode;
  /**
   * A sentence that tells the document's owner how to fix the problem. The sentence does not contain text of the document.
   */
  readonly reason: string;
}

export interface DocumentProperties {
  /** The title that the document declares, or null. */
  readonly title: string | null;
  /** The language tag (BCP 47) that the document declares, or null. */
  readonly language: string | null;
}

/** A parsed document with all of its passages. */
export type ParsedDocument =
  | ({
      readonly ok: true;
      /** At least one passage, in the document's order. */
      readonly passages: readonly Passage[];
    } & DocumentProperties)
  | ExtractionFailure;

export type Extraction =
  | ({
      readonly ok: true;
      /** Number of passages that the sink received. */
      readonly passages: number;
    } & DocumentProperties)
  | ExtractionFailure;

export interface ExtractionSource {
  /** Owner of the document. Owners share the parser processes fairly. */
  readonly spaceId: string;
  readonly mimeType: KnownMimeType;
  /** Total bytes that `read` returns. */
  readonly size: number;
  /** Streams the document. Called again if the extraction is restarted. */
  readonly read: () => AsyncIterable<Uint8Array>;
  /** Cancels the extraction, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called once if the extraction takes long. The caller may then start another extraction. */
  readonly onDeferred?: () => void;
}

/** Receives the result of an extraction in batches. The extraction waits for each returned promise. */
export interface PassageSink {
  /** Called before the first batch. Called again if the extraction is restarted: earlier batches are then void. */
  begin(properties: DocumentProperties): Promise<void>;
  add(passages: readonly Passage[]): Promise<void>;
}

/** Extracts the text of documents in separate processes and splits it into passages. */
export interface Extractor {
  /** Maximum number of documents that are parsed at the same time. */
  readonly parallel: number;
  /**
   * Extracts a document within limits of time and memory. Invalid bytes and exceeded limits resolve to a failure and do not
   * affect other documents.
   *
   * @throws Error if the extractor is closed, if it failed for a reason possibly unrelated to the document, or if the source or
   * the sink throws. The caller may retry a few times.
   */
  extract(source: ExtractionSource, sink: PassageSink): Promise<Extraction>;
  /** Ends the processes and rejects pending extractions. */
  close(): Promise<void>;
}
