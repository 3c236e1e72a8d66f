import { createHash } from 'node:crypto';
import {
  type CrawlChange,
  type Issue,
  MAX_CRAWL_PATTERNS,
  type NewCrawl,
} from '@gatehouse/contract';
import type { JsonObject } from '@gatehouse/filter';
import { isObject } from '../../lib/json/index.ts';
import { readMetadata } from '../documents/metadata.rules.ts';
import { canonicalUrl, decodedPathOf, matchesPattern, pathOf } from './site/url.rules.ts';

/** A validated definition with defaults. Exactly one of `startUrl` and `sitemapUrl` is not null. */
export type Definition = Required<CrawlChange> & {
  readonly startUrl: string | null;
  readonly sitemapUrl: string | null;
};

const GIBIBYTE = 1024 * 1024 * 1024;

/** A definition that may violate the schema. The schema reports members of the wrong type. */
type Sent = Readonly<Record<string, unknown>>;

/** Returns the problems of a new definition that the schema does not report. */
export function newCrawlIssues(sent: Sent): Issue[] {
  const { startUrl, sitemapUrl } = sent;
  const issues: Issue[] = [];
  if ((startUrl === undefined) === (sitemapUrl === undefined))
    issues.push({ message: 'startUrl: exactly one of startUrl and sitemapUrl is required' });
  for (const [name, url] of Object.entries({ startUrl, sitemapUrl }))
    if (typeof url === 'string' && canonicalUrl(url) === null)
      issues.push({
        message: `${name}: must be an absolute http:// or https:// URL without credentials, of at most 900 characters`,
      });
  return [...issues, ...memberIssues(sent)];
}

/** Returns the problems of a change that the schema does not report. */
export function crawlChangeIssues(sent: Sent): Issue[] {
  if (Object.keys(sent).length === 0) return [{ message: 'body: requires at least one member' }];
  return memberIssues(sent);
}

function memberIssues(sent: Sent): Issue[] {
  const issues: Issue[] = [];
  const addMetadata = (member: string, metadata: unknown) => {
    const read = readMetadata(metadata);
    if (read.ok) return;
    for (const { message } of read.issues)
      issues.push({ message: message.replace(/^metadata/, member) });
  };
  const addPattern = (member: string, pattern: unknown) => {
    if (typeof pattern === 'string' && !/^[/*]/.test(pattern))
      issues.push({ message: `${member}: must start with / or *` });
  };
  if (sent['defaultMetadata'] !== undefined)
    addMetadata('defaultMetadata', sent['defaultMetadata']);
  for (const [index, rule] of listOf(sent['metadata']).entries()) {
    if (!isObject(rule)) continue;
    addPattern(`metadata[${index}].pattern`, rule['pattern']);
    if (rule['metadata'] !== undefined)
      addMetadata(`metadata[${index}].metadata`, rule['metadata']);
  }
  for (const name of ['include', 'exclude'])
    for (const [index, pattern] of listOf(sent[name]).entries())
      addPattern(`${name}[${index}]`, pattern);
  return issues;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, MAX_CRAWL_PATTERNS) : [];
}

/** @param sent a definition without issues. */
export function toDefinition({ startUrl, sitemapUrl, ...sent }: NewCrawl): Definition {
  return {
    include: [],
    exclude: [],
    metadata: [],
    everyHours: null,
    maxPages: 1000,
    maxDepth: 20,
    maxBytes: GIBIBYTE,
    delayMs: 1000,
    ...sent,
    startUrl: startUrl === undefined ? null : canonicalUrl(startUrl),
    sitemapUrl: sitemapUrl === undefined ? null : canonicalUrl(sitemapUrl),
  };
}

/** Returns the URL that determines the host of the crawl. */
export function entryOf({ startUrl, sitemapUrl }: Definition): string {
  return startUrl ?? sitemapUrl ?? '';
}

/** Reports whether the patterns permit a page, and its metadata is the same however a server reads the path. */
export function isIncluded(definition: Definition, url: string): boolean {
  const [path, decoded] = [pathOf(url), decodedPathOf(url)];
  return (
    decoded !== null &&
    isPermitted(definition, path) &&
    isPermitted(definition, decoded) &&
    ruleOf(definition, path) === ruleOf(definition, decoded)
  );
}

function isPermitted({ include, exclude }: Definition, path: string): boolean {
  const matches = (pattern: string) => matchesPattern(pattern, path);
  return (include.length === 0 || include.some(matches)) && !exclude.some(matches);
}

/** Returns the metadata of a page, which decides who sees it. The first matching pattern wins. */
export function metadataOf(definition: Definition, url: string): JsonObject {
  const rule = ruleOf(definition, pathOf(url));
  return (rule?.metadata ?? definition.defaultMetadata) as JsonObject;
}

function ruleOf({ metadata }: Definition, path: string) {
  return metadata.find(({ pattern }) => matchesPattern(pattern, path));
}

/** Returns a digest of the properties of a page. If it changes, the page is sent again even if its content is the same. */
export function propertiesDigest(definition: Definition, url: string): string {
  return digestOf(JSON.stringify([url, metadataOf(definition, url)]));
}

export function digestOf(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('base64url');
}
