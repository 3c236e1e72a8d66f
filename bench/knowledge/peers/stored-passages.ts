import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { MAX_PASSAGES } from '../../../packages/server/src/storage/sqlite/knowledge/rowids.ts';

/** A passage with the metadata of its document; see `fillKnowledge`. */
export interface StoredPassage {
  readonly id: number;
  readonly title: string;
  readonly heading: string;
  readonly body: string;
  readonly department: string;
  readonly level: number;
  readonly isPublic: boolean;
}

/** Reads the first passages of the embedded store of a service, in order of their documents. */
export function* storedPassages(directory: string, limit: number): Generator<StoredPassage> {
  using db = new DatabaseSync(join(directory, 'gatehouse.db'), { readOnly: true });
  const rows = db
    .prepare(
      `select passages.id, documents.file_name as title, passages.heading, passages.text as body, documents.metadata
       from documents not indexed cross join passages on passages.id between documents.number * ${MAX_PASSAGES}
         and documents.number * ${MAX_PASSAGES} + ${MAX_PASSAGES - 1}
       order by documents.number, passages.id limit ?`,
    )
    .iterate(limit);
  for (const { id, title, heading, body, metadata } of rows) {
    const { department, level, tags } = JSON.parse(String(metadata)) as {
      readonly department: string;
      readonly level: number;
      readonly tags: readonly string[];
    };
    yield {
      id: Number(id),
      title: String(title),
      heading: String(heading),
      body: String(body),
      ...{ department, level, isPublic: tags.includes('public') },
    };
  }
}
