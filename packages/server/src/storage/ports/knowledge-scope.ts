import type { Filter } from '@gatehouse/filter';

/** Identifies a caller. All widget sessions of a link are one caller. */
export type ReadCaller = `${'link' | 'key' | 'user'} ${string}`;

/**
 * The documents of one space that a caller may see. Every query for documents or passages requires a scope. Only
 * `knowledge/search/scope.ts` creates scopes, after checking the permissions of a caller or link. The private member
 * prevents plain objects from having this type.
 */
export class KnowledgeScope {
  readonly spaceId: string;
  readonly filter: Filter;
  /** Owner of the reads in this scope. The reads of all callers share the time of the store fairly. */
  readonly caller: ReadCaller | null;
  readonly #made = true;

  /** @param caller null for work of the service itself, whose reads have neither a time budget nor a maximum wait. */
  constructor(spaceId: string, filter: Filter, caller: ReadCaller | null = null) {
    this.spaceId = spaceId;
    this.filter = filter;
    this.caller = caller;
  }

  /** `true` if the caller is a link, which must not learn anything about documents outside of the scope. */
  get isOfLink(): boolean {
    return this.caller?.startsWith('link ') ?? false;
  }

  /** Throws `TypeError` if the value is not a scope, for example after an unsafe cast. */
  static assert(scope: KnowledgeScope): void {
    if (!(#made in scope)) throw new TypeError('knowledge queries require a KnowledgeScope');
  }
}
