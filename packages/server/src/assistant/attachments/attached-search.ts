import type { SourcePassage } from '../answerer.ts';
import type { PassageSearch } from '../turns/passages.service.ts';
import type { AttachedFile } from './attachment.rules.ts';
import { rankTexts } from './rank-passages.ts';

/** Maximum number of passages of attachments per search. */
const MAX_ATTACHED = 4;
/** Number of passages at the start of a new attachment that are given to the model, whatever the question is. */
const MAX_OPENINGS = 4;

/**
 * Adds passages of the attachments of a conversation to a search. The files are visible only to the search that receives them, so no
 * other search, count or conversation can contain them.
 *
 * @param isNew reports whether the question itself has the attachment. The beginning of such an attachment is part of the result for
 *   the question, because a question like "What is this?" has no words in common with the file.
 */
export function withAttachments(
  search: PassageSearch,
  files: readonly AttachedFile[],
  { question, isNew }: { question: string; isNew: (file: AttachedFile) => boolean },
): PassageSearch {
  if (files.length === 0) return search;
  const passages = files.flatMap(passagesOf);
  const openings = openingsOf(files.filter(isNew));

  async function attached(query: string): Promise<SourcePassage[]> {
    const ranked = await rankTexts(passages.map(textOf), query, MAX_ATTACHED);
    const found = ranked.flatMap((at) => passages[at] ?? []);
    if (query !== question) return found;
    const known = new Set(found.map(keyOf));
    const others = openings.filter((passage) => !known.has(keyOf(passage)));
    return [...found, ...others].slice(0, Math.max(found.length, MAX_OPENINGS));
  }

  return {
    prefetch: (query, scope) => search.prefetch(query, scope),
    abandon: () => search.abandon(),
    get documents() {
      return search.documents;
    },
    async find(query, signal) {
      const found = await Promise.all([attached(query), search.find(query, signal)]);
      return alternate(...found);
    },
  };
}

function passagesOf({ id, fileName, mimeType, passages }: AttachedFile): SourcePassage[] {
  return passages.map(({ heading, text }, position) => ({
    documentId: id,
    fileName,
    position,
    heading: heading.length === 0 ? null : heading.join(' › '),
    text,
    attachment: { mimeType },
  }));
}

/** Returns the first passages of the files, one per file in turn. */
function openingsOf(files: readonly AttachedFile[]): SourcePassage[] {
  const all = files.map(passagesOf);
  const openings: SourcePassage[] = [];
  for (let position = 0; position < MAX_OPENINGS; position++)
    for (const passages of all) openings.push(...passages.slice(position, position + 1));
  return openings.slice(0, MAX_OPENINGS);
}

function textOf({ fileName, heading, text }: SourcePassage): string {
  return `${fileName}\n${heading ?? ''}\n${text}`;
}

function keyOf({ documentId, position }: SourcePassage): string {
  return `${position} ${documentId}`;
}

/** Takes one passage of each list in turn, because a reader may use only the first of them. */
function alternate(
  one: readonly SourcePassage[],
  other: readonly SourcePassage[],
): SourcePassage[] {
  const length = Math.max(one.length, other.length);
  return Array.from({ length }, (_, at) => [
    ...one.slice(at, at + 1),
    ...other.slice(at, at + 1),
  ]).flat();
}
