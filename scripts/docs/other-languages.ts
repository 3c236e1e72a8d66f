import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const GUIDES = join(import.meta.dirname, '../../docs/guides');
/** A link to a file in `examples/` at the end of a line, followed by a code block. */
const EXAMPLE = /(\]\((\.\.\/\.\.\/examples\/[^)]+)\)\n\n```\w+\n)[\s\S]*?(^```$)/gm;

/** Returns the text of `docs/guides/other-languages.md` with the current example programs. */
export function renderOtherLanguages(): string {
  const text = readFileSync(join(GUIDES, 'other-languages.md'), 'utf8');
  return text.replace(
    EXAMPLE,
    (_, begin: string, path: string, end: string) =>
      `${begin}${readFileSync(join(GUIDES, path), 'utf8')}${end}`,
  );
}
