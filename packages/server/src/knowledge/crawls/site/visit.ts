import { MAX_PAGE_BYTES } from '@gatehouse/contract';
import type { JsonObject } from '@gatehouse/filter';
import { fileNameProblem } from '../../documents/file-name.rules.ts';
import { formatOf } from '../../documents/format.rules.ts';
import { FORMATS, type KnownMimeType } from '../../parsers/extractor.ts';
import { traitsOf } from '../../uploads/file-traits.ts';
import { readPageLinks } from './page-html.rules.ts';
import { headerDirectives } from './robots-directives.rules.ts';
import type { SiteClient } from './site-client.ts';
import { canonicalUrl, isSameHost } from './url.rules.ts';

/** The answer of a site for a page. */
export type Visit = { readonly status: number | null; readonly received: number } & (
  | {
      readonly kind: 'document';
      readonly data: JsonObject;
      readonly links: readonly string[];
      readonly etag: string | null;
      readonly lastModified: string | null;
    }
  | { readonly kind: 'unchanged' }
  /** The page is another page of the host. */
  | { readonly kind: 'alias'; readonly target: string; readonly reason: string }
  | { readonly kind: 'excluded'; readonly reason: string; readonly links: readonly string[] }
  | { readonly kind: 'gone' }
  | { readonly kind: 'failed'; readonly reason: string }
  /** The site cannot answer now. */
  | {
      readonly kind: 'unavailable';
      readonly reason: string;
      /** Milliseconds from `Retry-After`, or null. */
      readonly retryAfterMs: number | null;
    }
);

export interface VisitRequest {
  readonly url: string;
  /** Validators of the version that was sent. Null: the page must be sent again. */
  readonly known: { readonly etag: string | null; readonly lastModified: string | null } | null;
  readonly now: number;
  readonly signal: AbortSignal;
}

const ACCEPT = FORMATS.map(({ mimeType }) => mimeType).join(', ');

/** Reads a page. Redirects are not followed: their target is visited as a page of its own, with its own metadata. */
export async function visit(
  client: SiteClient,
  { url, known, now, signal }: VisitRequest,
): Promise<Visit> {
  const headers = {
    accept: `${ACCEPT};q=0.9`,
    ...(known?.etag ? { 'if-none-match': known.etag } : {}),
    ...(known?.lastModified ? { 'if-modified-since': known.lastModified } : {}),
  };
  const response = await client.get(url, { headers, maxBytes: MAX_PAGE_BYTES, signal });
  if (!response.answered)
    return {
      kind: 'unavailable',
      reason: response.problem,
      retryAfterMs: null,
      status: null,
      received: 0,
    };
  const { status, header, headerLines, body, received } = response;
  const answer = { status, received };
  if (status === 304 && known !== null) return { ...answer, kind: 'unchanged' };
  if (status === 404 || status === 410) return { ...answer, kind: 'gone' };
  if (status >= 500 || status === 429 || status === 408)
    return {
      ...answer,
      kind: 'unavailable',
      reason: `the site answered with status ${status}`,
      retryAfterMs: retryAfterOf(header('retry-after'), now),
    };
  if (status >= 300 && status < 400)
    return { ...answer, ...redirected(url, canonicalUrl(header('location') ?? '', url)) };
  if (status !== 200)
    return { ...answer, kind: 'failed', reason: `the site answered with status ${status}` };
  if (body.bytes === null) return { ...answer, kind: 'failed', reason: `the page ${body.problem}` };
  const content = { url, body: body.bytes, type: header('content-type') ?? '' };
  const robots = headerDirectives(headerLines('x-robots-tag'));
  const read = await readContent(content);
  if (read.kind !== 'document' && read.kind !== 'excluded') return { ...answer, ...read };
  const links = robots.nofollow ? [] : read.links;
  if (read.kind === 'excluded') return { ...answer, ...read, links };
  if (robots.noindex)
    return { ...answer, kind: 'excluded', reason: 'the page is marked noindex', links };
  return {
    ...answer,
    ...read,
    links,
    etag: validatorOf(header('etag')),
    lastModified: validatorOf(header('last-modified')),
  };
}

function redirected(url: string, target: string | null) {
  if (target === null || target === url)
    return { kind: 'failed', reason: 'the redirect has no usable target' } as const;
  if (!isSameHost(target, url))
    return { kind: 'failed', reason: 'the page redirects to another host' } as const;
  return { kind: 'alias', target, reason: 'the page redirects' } as const;
}

async function readContent({
  url,
  body,
  type,
}: {
  readonly url: string;
  readonly body: Uint8Array;
  readonly type: string;
}) {
  const essence = (type.split(';', 1)[0] ?? '').trim().toLowerCase();
  const mimeType = essence === 'application/xhtml+xml' ? 'text/html' : essence;
  const format = FORMATS.find((known) => known.mimeType === mimeType);
  if (format === undefined)
    return {
      kind: 'excluded',
      reason: 'the content type of the page is not supported',
      links: [],
    } as const;
  if (body.length === 0) return { kind: 'failed', reason: 'the page is empty' } as const;
  const fileName = fileNameOf(url, format.mimeType);
  if (mimeType !== 'text/html') return readFile(fileName, body, type);
  const html = decode(body, charsetOf(type) ?? charsetInHtml(body) ?? 'utf-8');
  if (html === null) return UNKNOWN_CHARSET;
  if (html.trim() === '') return { kind: 'failed', reason: 'the page is empty' } as const;
  const { links, canonical, refresh, noindex } = await readPageLinks(html, url);
  if (refresh !== null && refresh !== url) return redirected(url, refresh);
  if (canonical !== null && canonical !== url && isSameHost(canonical, url))
    return {
      kind: 'alias',
      target: canonical,
      reason: 'the page declares another canonical URL',
    } as const;
  if (noindex) return { kind: 'excluded', reason: 'the page is marked noindex', links } as const;
  return { kind: 'document', data: { fileName, html }, links } as const;
}

const UNKNOWN_CHARSET = { kind: 'failed', reason: 'the character set is unknown' } as const;

/** Returns a file for the document of a page. A file that an upload would reject is a failure with the reason. */
function readFile(fileName: string, body: Uint8Array, type: string) {
  const file = withText(Buffer.from(body), type);
  if (file === null) return UNKNOWN_CHARSET;
  const format = formatOf({ fileName, traits: traitsOf(file) });
  if (!format.ok) return { kind: 'failed', reason: format.reason } as const;
  const data = { fileName, mimeType: format.mimeType, contentBase64: file.toString('base64') };
  return { kind: 'document', data, links: [] } as const;
}

/**
 * Converts a text file in the declared character set to UTF-8. Returns a file that is valid UTF-8 unchanged, because many servers
 * declare one character set for all files. Returns null if the character set is unknown.
 */
function withText(body: Buffer, type: string): Buffer | null {
  const charset = charsetOf(type);
  const { isUtf8, hasNul } = traitsOf(body);
  if (charset === undefined || !/^text\//i.test(type) || (isUtf8 && !hasNul)) return body;
  if (/^utf-?8$/i.test(charset)) return body;
  const text = decode(body, charset);
  return text === null ? null : Buffer.from(text);
}

function charsetOf(type: string): string | undefined {
  return /charset\s*=\s*["']?([^\s"';]+)/i.exec(type)?.[1];
}

function charsetInHtml(body: Uint8Array): string | undefined {
  const start = Buffer.from(body.subarray(0, 1024)).toString('latin1');
  return /<meta[^>]{1,200}?charset\s*=\s*["']?([^\s"';/>]+)/i.exec(start)?.[1];
}

/** Returns the text of a page, or null if the character set is unknown. */
function decode(body: Uint8Array, charset: string): string | null {
  try {
    return new TextDecoder(charset).decode(body).replaceAll('\0', '\ufffd');
  } catch {
    return null;
  }
}

/** Returns a valid file name with an extension of the format. */
function fileNameOf(url: string, mimeType: KnownMimeType): string {
  const extensions = FORMATS.find((format) => format.mimeType === mimeType)?.extensions ?? [
    '.html',
  ];
  const segment = new URL(url).pathname.split('/').findLast((part) => part !== '') ?? 'index';
  let name = segment;
  try {
    name = decodeURIComponent(segment);
  } catch {
    // Not valid percent-encoding: the encoded name is used.
  }
  const hasExtension = extensions.some((extension) => name.toLowerCase().endsWith(extension));
  const full = hasExtension ? name : `${name.slice(0, 200)}${extensions[0]}`;
  return fileNameProblem(full) === null ? full : `page${extensions[0]}`;
}

const MAX_VALIDATOR_LENGTH = 500;

function validatorOf(value: string | undefined): string | null {
  return value === undefined || value.length > MAX_VALIDATOR_LENGTH ? null : value;
}

/** Returns the delay that `Retry-After` asks for, in milliseconds, or null. */
function retryAfterOf(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000;
  const time = Date.parse(value);
  return Number.isNaN(time) ? null : Math.max(0, time - now);
}
