/** A part of a page that the search can find. */
export interface SearchSection {
  /** URL relative to the first page. */
  readonly url: string;
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}

/** The sections of a page, as the file of the search index contains them. The file repeats neither titles nor paths. */
export interface SearchPage {
  readonly path: string;
  readonly title: string;
  /** Fragment of the URL (empty: the page itself), heading and text of each section. */
  readonly sections: readonly (readonly [fragment: string, heading: string, text: string])[];
}

/** Returns the sections of all pages. */
export function searchSections(pages: readonly SearchPage[]): SearchSection[] {
  return pages.flatMap(({ path, title, sections }) =>
    sections.map(([fragment, heading, text]) => ({
      url: fragment === '' ? path : `${path}#${fragment}`,
      page: title,
      heading,
      text,
    })),
  );
}
