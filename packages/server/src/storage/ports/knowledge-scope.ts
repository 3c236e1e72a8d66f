import type { Filter } from '@gatehouse/filter';

/**
 * The documents of one space that a caller may see. Every query for documents or passages requires a scope. Only
 * `knowledge/search/scope.ts` creates scopes, after checking the permissions of a caller or link. The private member
 * prevents plain objects from having this type.
 */
export class KnowledgeScope {
  readonly spaceId: string;
  readonly filter: Filter;
  readonly #made = true;

  constructor(spaceId: string, filter: Filter) {
    this.spaceId = spaceId;
    this.filter = filter;
  }

  /** Throws `TypeError` if the value is not a scope, for example after an unsafe cast. */
  static assert(scope: KnowledgeScope): void {
    if (!(#made in scope)) throw new TypeError('knowledge queries require a KnowledgeScope');
  }
}
