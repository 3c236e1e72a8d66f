import type { Passage } from '@gatehouse/contract';

/** Joins passages. A heading is shown where it changes. */
export function textOf(passages: readonly Passage[]): string {
  let shown: string | null = null;
  const parts = passages.map(({ heading, text }) => {
    const isNew = heading !== null && heading !== shown;
    shown = heading;
    return isNew ? `# ${heading}\n\n${text}` : text;
  });
  return parts.join('\n\n');
}
