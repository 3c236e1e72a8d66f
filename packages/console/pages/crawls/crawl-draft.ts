import type { Crawl, CrawlChange } from '@gatehouse/client';
import {
  type Metadata,
  type MetadataRow,
  readRows,
  toRows,
} from '../../components/metadata/metadata-rows.ts';

const MEGABYTE = 1_000_000;

export interface Rule {
  readonly pattern: string;
  readonly rows: readonly MetadataRow[];
}

/** The definition of a crawl as a form shows it, without its address. */
export interface CrawlDraft {
  readonly name: string;
  /** One pattern per line. */
  readonly include: string;
  readonly exclude: string;
  readonly rows: readonly MetadataRow[];
  readonly rules: readonly Rule[];
  readonly everyHours: string;
  readonly maxPages: string;
  readonly maxDepth: string;
  readonly maxMegabytes: string;
  readonly delaySeconds: string;
}

/** Returns the draft of a crawl, or of a new crawl with the default limits of the service. */
export function toCrawlDraft(crawl?: Crawl): CrawlDraft {
  if (crawl === undefined)
    return {
      name: '',
      include: '',
      exclude: '',
      rows: [],
      rules: [],
      everyHours: '24',
      maxPages: '',
      maxDepth: '',
      maxMegabytes: '',
      delaySeconds: '',
    };
  return {
    name: crawl.name,
    include: crawl.include.join('\n'),
    exclude: crawl.exclude.join('\n'),
    rows: toRows(crawl.defaultMetadata),
    rules: crawl.metadata.map(({ pattern, metadata }) => ({ pattern, rows: toRows(metadata) })),
    everyHours: String(crawl.everyHours ?? ''),
    maxPages: String(crawl.maxPages),
    maxDepth: String(crawl.maxDepth),
    maxMegabytes: String(crawl.maxBytes / MEGABYTE),
    delaySeconds: String(crawl.delayMs / 1000),
  };
}

type Definition = CrawlChange & {
  readonly name: string;
  readonly defaultMetadata: Metadata;
};

/** Converts a draft. Empty limits are omitted. Returns null if a metadata field is invalid. */
export function toDefinition(draft: CrawlDraft): Definition | null {
  const defaultMetadata = readRows(draft.rows);
  if (!defaultMetadata.ok) return null;
  const metadata: { pattern: string; metadata: Metadata }[] = [];
  for (const { pattern, rows } of draft.rules) {
    const read = readRows(rows);
    if (!read.ok) return null;
    metadata.push({ pattern, metadata: read.metadata });
  }
  return {
    name: draft.name,
    include: linesOf(draft.include),
    exclude: linesOf(draft.exclude),
    metadata,
    defaultMetadata: defaultMetadata.metadata,
    everyHours: draft.everyHours.trim() === '' ? null : Number(draft.everyHours),
    ...limit('maxPages', draft.maxPages),
    ...limit('maxDepth', draft.maxDepth),
    ...limit('maxBytes', draft.maxMegabytes, MEGABYTE),
    ...limit('delayMs', draft.delaySeconds, 1000),
  };
}

/** The service reports the problem of a text that is not a number. */
function limit<N extends string>(name: N, text: string, unit = 1): { [K in N]?: number } {
  const value = Math.round(Number(text) * unit);
  return text.trim() === '' ? {} : ({ [name]: value } as { [K in N]?: number });
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
