/** A section of a manual, without its sub-sections. */
export interface Section {
  readonly id: string;
  /** Title of the page. */
  readonly title: string;
  readonly heading: string;
  readonly paragraphs: readonly string[];
}

export interface SectionPassage {
  readonly section: string;
  readonly title: string;
  readonly heading: string;
  readonly body: string;
}

/** Maximum length of a passage in UTF-16 code units, unless a paragraph is longer. */
const MAX_LENGTH = 1000;

/** Splits a section into passages of consecutive paragraphs. */
export function toPassages({ id, title, heading, paragraphs }: Section): SectionPassage[] {
  const bodies: string[] = [];
  for (const paragraph of paragraphs) {
    const last = bodies.at(-1);
    if (last === undefined || last.length + paragraph.length > MAX_LENGTH) bodies.push(paragraph);
    else bodies[bodies.length - 1] = `${last}\n${paragraph}`;
  }
  return bodies.map((body) => ({ section: id, title, heading, body }));
}
