/* Limits of one document. Text sizes are in UTF-16 code units. */

/** Maximum total length of all passages, about 2,000 densely printed book pages. */
export const MAX_TEXT = 10_000_000;
/** Maximum characters of a plain text or Markdown file, including white space and markup. */
export const MAX_SOURCE_TEXT = 12_000_000;
export const MAX_PASSAGES = 50_000;
export const MAX_PDF_PAGES = 5_000;
/** Maximum depth of nested elements. Browsers stop at 512, but pages with unclosed tags exceed that. */
export const MAX_HTML_DEPTH = 5_000;
/** Maximum depth of quotes and lists in Markdown. */
export const MAX_MARKDOWN_DEPTH = 100;
export const MAX_JSON_DEPTH = 500;
/** Maximum bytes of one CSV record. An unclosed quote makes the rest of the file one record. */
export const MAX_CSV_RECORD = 4 * 1024 * 1024;

export const MAX_ZIP_ENTRIES = 10_000;
/** Maximum unpacked bytes that a ZIP archive may declare. */
export const MAX_UNPACKED = 200 * 1024 * 1024;
/** Maximum compression ratio of an archive with more than `RATIO_COUNTS_FROM` unpacked bytes. Word files reach about 50. */
export const MAX_RATIO = 150;
export const RATIO_COUNTS_FROM = 10 * 1024 * 1024;
/** Maximum bytes of unpacked XML. Its tree in memory takes about ten times as much. */
export const MAX_UNPACKED_XML = 32 * 1024 * 1024;

/** Limits of the parser processes. The sum of all memory is in docs/operations.md. */
export const PROCESS_LIMITS = {
  /** Number of processes. One of them is always available to documents that parse quickly. */
  processes: 2,
  /** Maximum milliseconds for parsing one document. */
  timeLimitMs: 30_000,
  /** Maximum private memory of a process in bytes. */
  memoryBytes: 192 * 1024 * 1024,
  /** Idle milliseconds after which a process ends. */
  idleMs: 60_000,
} as const;
