import type { Passage } from '../../storage/ports/index.ts';

export type { Passage };

/** What a document may be, in the order in which people are told. */
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

/** Why a document gave no passages. All of them lie in the document, so trying again changes nothing. */
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
  /** Reading it took longer than one document may take. */
  | 'too-slow'
  /** It is nested too deeply, or reading it took more memory than one document may take. */
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
   * Whether the caller gives the bytes up: they move to another thread instead of being copied, and
   * are gone here. Otherwise they must stay as they are until the answer. Default false.
   */
  readonly giveUp?: boolean;
}

/** Reads the text of documents, away from the event loop, and cuts it into passages. */
export interface Extractor {
  /**
   * Whatever the bytes are, the answer is an extraction, within limits of time and memory; a document
   * that breaks them fails alone. Documents may wait for each other; the time limit starts when a
   * document's turn comes. Rejects when the extractor is closed before the answer, or broke off for a
   * reason that is not known to lie in the document: it may be tried again, a few times.
   */
  extract(source: ExtractionSource): Promise<Extraction>;
  /** Ends what runs, and rejects what waits. */
  close(): Promise<void>;
}
