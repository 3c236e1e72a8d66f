import type { Passage } from '../../storage/ports/index.ts';

export type { Passage };

/** Supported formats, in the order in which messages list them. */
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

/** Reason why a document has no passages. The document itself is the cause, so a retry changes nothing. */
export type ExtractionFailureCode =
  /** It has no text at all, for example because it is a scan. */
  | 'empty'
  /** A text format in neither UTF-8 nor UTF-16 with a byte order mark. */
  | 'not-unicode'
  /** Opening it needs a password. */
  | 'encrypted'
  /** It is not what its format says, or it breaks off. */
  | 'corrupt'
  /** Its bytes, unpacked bytes, text, passages or pages exceed a limit. */
  | 'too-large'
  /** Parsing took longer than one document may take. */
  | 'too-slow'
  /** It is nested too deeply, or parsing took more memory than one document may take. */
  | 'too-complex';

export type Extraction =
  | {
      readonly ok: true;
      /** In the document's order, at least one. */
      readonly passages: readonly Passage[];
      /** The title that the document gives itself, else null. */
      readonly title: string | null;
      /** The language that the document names, a BCP 47 tag as it is written there, else null. */
      readonly language: string | null;
    }
  | {
      readonly ok: false;
      readonly code: ExtractionFailureCode;
      /** A sentence that the person who uploaded it can act on. It shows nothing of the content. */
      readonly reason: string;
    };

export interface ExtractionSource {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly mimeType: KnownMimeType;
  /**
   * Transfers the bytes to the thread instead of copying them, so the caller's array becomes empty. Otherwise
   * the caller must not change them until `extract` settles. Default `false`.
   */
  readonly transfer?: boolean;
}

/** Extracts the text of documents outside of the event loop and splits it into passages. */
export interface Extractor {
  /**
   * Resolves for any bytes, within limits of time and memory. A document that exceeds them fails alone. Documents
   * are queued; the time limit starts when parsing starts. Rejects if the extractor is closed, or failed for a
   * reason that may not be the document: the caller may retry a few times.
   */
  extract(source: ExtractionSource): Promise<Extraction>;
  /** Stops the thread and rejects pending extractions. */
  close(): Promise<void>;
}
