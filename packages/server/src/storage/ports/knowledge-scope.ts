import type { Filter } from '@gatehouse/filter';

/**
 * What somebody may see of a space's knowledge. There is no way to ask for documents or passages
 * without one, and only `knowledge/scope.ts` makes one, from a caller or a link whose right was just
 * checked. The private member keeps any other object from passing for a scope.
 */
export class KnowledgeScope {
  readonly spaceId: string;
  readonly filter: Filter;
  readonly #made = true;

  constructor(spaceId: string, filter: Filter) {
    this.spaceId = spaceId;
    this.filter = filter;
  }

  /** For the seam itself, where a cast may have got past the compiler. Throws unless it is a scope. */
  static assert(scope: KnowledgeScope): void {
    if (!(#made in scope)) throw new TypeError('knowledge is asked for without a scope');
  }
}
