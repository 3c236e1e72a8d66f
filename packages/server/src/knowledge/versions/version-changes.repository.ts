import { randomUUIDv7 } from 'node:crypto';
import type {
  DocumentRow,
  KnowledgeDatabase,
  KnowledgeEngine,
  Write,
} from '../../storage/ports/index.ts';
import { documentIsRecord, noSuchDocument, spaceGone } from '../documents/document.errors.ts';
import {
  metadataColumns,
  storedValues,
  toMetadata,
  valuesOf,
} from '../documents/document.rules.ts';
import { valueWrites } from '../documents/document-values.repository.ts';
import { lockDocuments } from '../documents/lock-documents.repository.ts';
import { sameMetadata } from '../documents/metadata.rules.ts';
import { numberFor } from '../uploads/content.ts';
import { type DocumentVersion, isSameFile } from './version.rules.ts';
import { createVersionHistory } from './version-history.repository.ts';
import { createVersionWrites } from './version-writes.repository.ts';

/** Columns of a stored version that a new version is compared with. */
export const KNOWN_OF_VERSION = [
  'id',
  'number',
  'next_number',
  'external_key',
  'state',
  'created_at',
  'file_name',
  'mime_type',
  'language',
  'given_title',
  'url',
  'sha256',
  'metadata',
] as const;

export type StoredRow = Pick<DocumentRow, Exclude<(typeof KNOWN_OF_VERSION)[number], 'number'>> & {
  readonly number: number;
};

export interface StoredVersions {
  readonly current: StoredRow;
  /** The same object as `current`, unless a newer version is being indexed. */
  readonly newest: StoredRow;
}

/**
 * Locks the current version of a document until the transaction ends. Call it before any other statement of `inReadCommitted`. Throws 404,
 * or 409 for a record.
 */
export async function lockCurrentVersion(
  engine: KnowledgeEngine,
  trx: KnowledgeDatabase,
  spaceId: string,
  id: string,
) {
  const ofDocument = trx
    .selectFrom('documents')
    .where('space_id', '=', spaceId)
    .where('id', '=', id)
    .where('replaces', 'is', null)
    .select([...KNOWN_OF_VERSION, 'title', 'size', 'updated_at', 'projection_id']);
  const [current] = await lockDocuments(engine, ofDocument);
  if (current === undefined) throw noSuchDocument();
  if (current.projection_id !== null) throw documentIsRecord();
  return current;
}

/** Returns the newest version of a document. Call it in the transaction that read the current version. */
export async function newestVersion(
  trx: KnowledgeDatabase,
  spaceId: string,
  current: StoredRow,
): Promise<StoredRow> {
  if (current.next_number === null) return current;
  return trx
    .selectFrom('documents')
    .where('space_id', '=', spaceId)
    .where('number', '=', current.next_number)
    .select(KNOWN_OF_VERSION)
    .executeTakeFirstOrThrow();
}

/** Creates the writes that replace a document by a new version and keep the earlier one. */
export function createVersionChanges(engine: KnowledgeEngine) {
  const { db, index } = engine;
  const versions = createVersionWrites(engine);
  const history = createVersionHistory(db);

  async function nextNumber(
    trx: KnowledgeDatabase,
    spaceId: string,
    { content }: DocumentVersion,
  ): Promise<number> {
    const number = await numberFor(engine, trx, spaceId, content);
    if (number === null) throw spaceGone();
    return number;
  }

  /**
   * Returns no writes if nothing changes. A document with a key stays searchable until the new version is indexed. Other documents
   * cannot be found in the meantime.
   */
  async function changes(
    trx: KnowledgeDatabase,
    spaceId: string,
    { current, newest }: StoredVersions,
    version: DocumentVersion,
  ): Promise<Write[]> {
    const isIndexedAgain = !isSameFile(newest, version) || newest.state === 'failed';
    if (!isIndexedAgain && (newest === current || isSameRecord(newest, version)))
      return update(spaceId, current, newest, version);
    return replace(trx, spaceId, { current, newest }, version);
  }

  /**
   * Returns the writes that replace a document by a new version, even if both are the same. If they differ, the earlier version is kept.
   */
  async function replace(
    trx: KnowledgeDatabase,
    spaceId: string,
    { current, newest }: StoredVersions,
    version: DocumentVersion,
  ): Promise<Write[]> {
    const number = await nextNumber(trx, spaceId, version);
    const kept = isSameVersion(newest, version)
      ? []
      : history.keepWrites(spaceId, current.id, newest.number);
    if (current.state !== 'ready' || current.external_key === null)
      return [...kept, ...versions.replace(spaceId, current, number, version)];
    const staged = {
      id: randomUUIDv7(),
      space_id: spaceId,
      created_at: current.created_at,
      replaces: current.number,
    };
    return [
      ...kept,
      ...(newest === current ? [] : supersede(spaceId, newest, version)),
      ...versions.insert(staged, number, version),
      db
        .updateTable('documents')
        .set({ next_number: number })
        .where('space_id', '=', spaceId)
        .where('number', '=', current.number),
    ];
  }

  /** Changes the properties of an unchanged file. An omitted language does not change, because it may come from the file. */
  function update(
    spaceId: string,
    { id }: StoredRow,
    stored: StoredRow,
    { columns, metadata }: DocumentVersion,
  ): Write[] {
    const { given_title, url, updated_at } = columns;
    const language = columns.language ?? stored.language;
    const isSame =
      sameMetadata(metadata, toMetadata(stored.metadata)) &&
      language === stored.language &&
      given_title === stored.given_title &&
      url === stored.url;
    if (isSame) return [];
    const { number } = stored;
    return [
      ...history.keepWrites(spaceId, id, number),
      db
        .updateTable('documents')
        .set({ ...metadataColumns(metadata), language, given_title, url, updated_at })
        .where('space_id', '=', spaceId)
        .where('number', '=', number),
      ...valueWrites(db, { spaceId, number }, storedValues(stored), valuesOf(metadata)),
    ];
  }

  /**
   * Ends the indexing of a version that is superseded by a newer version. The record of the superseded version still restricts
   * who can see the current version. Otherwise, text hidden by one request would become visible again after the next request.
   */
  function supersede(spaceId: string, superseded: StoredRow, version: DocumentVersion): Write[] {
    const { number } = superseded;
    if (isSameRecord(superseded, version)) return versions.remove(spaceId, superseded);
    return [
      db
        .updateTable('documents')
        .set({ state: 'failed', failure: null })
        .where('space_id', '=', spaceId)
        .where('number', '=', number),
      index.queueCleanup({ spaceId, number }),
    ];
  }

  return { nextNumber, changes, replace };
}

/** Reports whether every filter has the same result for a stored row and a version, except for filters on times. */
function isSameRecord(stored: StoredRow, { columns, metadata }: DocumentVersion): boolean {
  return (
    stored.file_name === columns.file_name &&
    stored.mime_type === columns.mime_type &&
    stored.language === columns.language &&
    sameMetadata(metadata, toMetadata(stored.metadata))
  );
}

/** Reports whether the stored version and a version have the same content and the same properties. */
function isSameVersion(stored: StoredRow, version: DocumentVersion): boolean {
  const { given_title, url } = version.columns;
  return (
    isSameFile(stored, version) &&
    isSameRecord(stored, version) &&
    stored.given_title === given_title &&
    stored.url === url
  );
}
