/** A part of a page, as the search index contains it. */
export interface SearchSection {
  /** URL relative to the first page. */
  readonly url: string;
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}
