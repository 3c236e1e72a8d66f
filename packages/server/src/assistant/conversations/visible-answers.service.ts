import { createHash } from 'node:crypto';
import { type Filter, print } from '@gatehouse/filter';
import type { Documents, VisibleDocument } from '../../knowledge/index.ts';
import type { KnowledgeScope } from '../../storage/ports/index.ts';

/**
 * A version of a document: its ID, a space, and the value of `updatedAt`. Answers that were stored before migration 32 contain only the ID.
 */
export type UsedDocument = string;

/** The documents of an answer, and the filter with which it was given. */
export interface AnswerBasis {
  /** The documents that were available to the answer, directly or through earlier answers. */
  readonly documents: readonly UsedDocument[];
  /** `digestOf` the filter in whose scope the answer was given. `null`: unknown, or an answer without documents. */
  readonly filterDigest: string | null;
}

export function usedDocument(id: string, updatedAt: string): UsedDocument {
  return `${id} ${updatedAt}`;
}

/** Returns the distinct IDs of documents. */
export function idsOf(documents: Iterable<UsedDocument>): string[] {
  const ids = new Set<string>();
  for (const document of documents) ids.add(read(document).id);
  return [...ids];
}

/** Returns a text that is equal for equal filters: SHA-256 in Base64url. */
export function digestOf(filter: Filter): string {
  const known = digests.get(filter);
  if (known !== undefined) return known;
  const digest = createHash('sha256')
    .update(JSON.stringify(print(filter)))
    .digest('base64url');
  digests.set(filter, digest);
  return digest;
}

const digests = new WeakMap<Filter, string>();

/** Decides which of some answers are visible in a scope. */
export interface VisibleAnswers {
  /** The documents of the answers that are visible now, by their IDs. */
  readonly documents: ReadonlyMap<string, VisibleDocument>;
  /**
   * Reports whether an answer is visible. All of its documents must be visible now. If one of them has changed since, its earlier text may
   * have been secret, so the answer is visible only with the filter with which it was given.
   */
  has(answer: AnswerBasis): boolean;
}

/** Hides all answers that are based on documents. */
export const withoutDocuments: VisibleAnswers = {
  documents: new Map(),
  has: ({ documents }) => documents.length === 0,
};

/** Reads the documents of answers in a scope. */
export async function visibleAnswers(
  documents: Pick<Documents, 'named'>,
  scope: KnowledgeScope,
  answers: readonly AnswerBasis[],
): Promise<VisibleAnswers> {
  const visible = await documents.named(
    scope,
    idsOf(answers.flatMap((answer) => answer.documents)),
  );
  return {
    documents: visible,
    has({ documents: used, filterDigest }) {
      let hasChanged = false;
      for (const document of used) {
        const { id, updatedAt } = read(document);
        const current = visible.get(id);
        if (current === undefined) return false;
        if (updatedAt !== undefined && updatedAt !== current.updatedAt) hasChanged = true;
      }
      return !hasChanged || filterDigest === digestOf(scope.filter);
    },
  };
}

function read(document: UsedDocument): { readonly id: string; readonly updatedAt?: string } {
  const [id = '', updatedAt] = document.split(' ');
  return { id, ...(updatedAt === undefined ? {} : { updatedAt }) };
}
