/** What one document may cost. Sizes of text are in UTF-16 code units, as JavaScript counts them. */

/** Text of all passages together: about 2,000 pages of a dense book. */
export const MAX_TEXT = 10_000_000;
export const MAX_PASSAGES = 50_000;
export const MAX_PDF_PAGES = 5_000;
/** Elements within each other; browsers stop at 512, but pages that never close their tags go on. */
export const MAX_HTML_DEPTH = 5_000;
export const MAX_JSON_DEPTH = 500;
/** Bytes of one CSV record: a quote that is never closed takes in all that follows it. */
export const MAX_CSV_RECORD = 4 * 1024 * 1024;

export const MAX_ZIP_ENTRIES = 10_000;
/** Bytes that a zip may unpack to, by what it declares. */
export const MAX_UNPACKED = 200 * 1024 * 1024;
/** Unpacked bytes for a packed one, above `RATIO_COUNTS_FROM` bytes; XML of Word has up to about 50. */
export const MAX_RATIO = 150;
export const RATIO_COUNTS_FROM = 10 * 1024 * 1024;
/** Bytes of XML that are unpacked and read: a tree in memory takes about ten times as much. */
export const MAX_UNPACKED_XML = 32 * 1024 * 1024;

/** What the thread may do; see `createExtractor`. */
export const THREAD_LIMITS = {
  timeLimitMs: 30_000,
  idleMs: 60_000,
  memoryBytes: 512 * 1024 * 1024,
} as const;
