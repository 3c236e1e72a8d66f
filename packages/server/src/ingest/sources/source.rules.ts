import type { EventSource, Issue } from '@gatehouse/contract';
import { prefixProblem, type Registered } from './covering.rules.ts';
import { secretProblem } from './secret.rules.ts';

export const MAX_SOURCES = 100;

/** A row of `event_sources`. Times are Unix milliseconds. */
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

export function isLive({ ends_at }: Pick<StoredSecret, 'ends_at'>, now: number): boolean {
  return ends_at === null || ends_at > now;
}

/** Returns the problems of a new source or secret that the schema does not cover. */
export function sourceIssues(body: Readonly<Record<string, unknown>>): Issue[] {
  const issues: Issue[] = [];
  const { source, match, secret } = body;
  if (typeof source === 'string' && source !== '') {
    const problem = sourceProblem(source, match === 'prefix');
    if (problem !== null) issues.push({ message: `source: ${problem}` });
  }
  if (typeof secret === 'string' && secret !== '') {
    const problem = secretProblem(secret);
    if (problem !== null) issues.push({ message: `secret: ${problem}` });
  }
  return issues;
}

function sourceProblem(source: string, isPrefix: boolean): string | null {
  // A source that is not a URI is harmless because no event can have it.
  if (!/^[!-~]*$/.test(source)) return 'must be a URI of ASCII characters without spaces';
  return isPrefix ? prefixProblem(source) : null;
}

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
