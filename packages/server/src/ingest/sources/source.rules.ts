import type { EventSource, Issue } from '@gatehouse/contract';
import { prefixFault, type Registered } from './covering.rules.ts';
import { secretFault } from './secret.rules.ts';

export const MAX_SOURCES = 100;

/** An event source as it is stored; times are Unix milliseconds. */
export interface StoredSource extends Registered {
  readonly id: string;
  readonly space_id: string;
  readonly name: string;
  readonly signature_required: number;
  readonly feeds_knowledge: number;
  readonly created_at: number;
}

export interface StoredSecret {
  readonly id: string;
  readonly source_id: string;
  readonly sealed: string;
  readonly created_at: number;
  readonly ends_at: number | null;
}

/** Whether a secret is still accepted. */
export function isLive({ ends_at }: Pick<StoredSecret, 'ends_at'>, now: number): boolean {
  return ends_at === null || ends_at > now;
}

/** What is wrong with a new source, or with a secret, beyond the schema. */
export function sourceIssues(body: Readonly<Record<string, unknown>>): Issue[] {
  const issues: Issue[] = [];
  const { source, match, secret } = body;
  if (typeof source === 'string' && source !== '') {
    const fault = sourceFault(source, match === 'prefix');
    if (fault !== null) issues.push({ message: `source: ${fault}` });
  }
  if (typeof secret === 'string' && secret !== '') {
    const fault = secretFault(secret);
    if (fault !== null) issues.push({ message: `secret: ${fault}` });
  }
  return issues;
}

function sourceFault(source: string, isPrefix: boolean): string | null {
  // One that is no URI is harmless: no event has it.
  if (!/^[!-~]*$/.test(source)) return 'must be a URI: ASCII without spaces';
  return isPrefix ? prefixFault(source) : null;
}

/** A source as everybody outside sees it. */
export function formatSource(
  source: StoredSource,
  secrets: readonly Pick<StoredSecret, 'created_at' | 'ends_at'>[],
  now: number,
): EventSource {
  return {
    id: source.id,
    spaceId: source.space_id,
    name: source.name,
    source: source.source,
    match: source.match,
    signatureRequired: source.signature_required === 1,
    feedsKnowledge: source.feeds_knowledge === 1,
    secrets: secrets
      .filter((secret) => isLive(secret, now))
      .map(({ created_at, ends_at }) => ({
        createdAt: new Date(created_at).toISOString(),
        endsAt: ends_at === null ? null : new Date(ends_at).toISOString(),
      })),
    createdAt: new Date(source.created_at).toISOString(),
  };
}
