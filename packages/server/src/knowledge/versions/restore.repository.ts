import type { RestoredProperties } from '@gatehouse/contract';
import type { Clock } from '../../lib/scheduling/index.ts';
import { recordAction } from '../../platform/audit/index.ts';
import { inReadCommitted, type KnowledgeEngine, runWrites } from '../../storage/ports/index.ts';
import { toMetadata } from '../documents/document.rules.ts';
import { sameMetadata } from '../documents/metadata.rules.ts';
import { copyOriginal } from './copy-original.repository.ts';
import { formatDiffers, noSuchVersion, propertiesDiffer } from './version.errors.ts';
import { versionFrom } from './version.rules.ts';
import {
  createVersionChanges,
  lockCurrentVersion,
  newestVersion,
  type StoredRow,
} from './version-changes.repository.ts';
import { createVersionHistory, type EarlierVersion } from './version-history.repository.ts';

/**
 * Stores an earlier version of a document as its newest version. Compares the versions and writes in one transaction, so that a
 * concurrent change of the metadata is never reverted by accident. Restoring the newest version changes nothing.
 *
 * @param properties required if filters can distinguish the version from the document.
 */
export type RestoreVersion = (
  spaceId: string,
  id: string,
  version: number,
  properties: RestoredProperties | undefined,
) => Promise<void>;

export function createRestoreVersion(engine: KnowledgeEngine, clock: Clock): RestoreVersion {
  const { db } = engine;
  const { changes } = createVersionChanges(engine);
  return (spaceId, id, version, properties) =>
    inReadCommitted(db, async (trx) => {
      const current = await lockCurrentVersion(engine, trx, spaceId, id);
      const newest = await newestVersion(trx, spaceId, current);
      const earlier = await createVersionHistory(trx).list(spaceId, id);
      if (version === (earlier[0]?.version ?? 0) + 1) return;
      const kept = earlier.find((one) => one.version === version);
      if (kept === undefined) throw noSuchVersion();
      const source = sourceOf(newest, kept, properties);
      const original = await copyOriginal(engine, trx, kept);
      const restored = versionFrom(source, original, clock());
      await runWrites(trx, await changes(trx, spaceId, { current, newest }, restored));
      await recordAction(trx, {
        action: 'document.restored',
        spaceId,
        resourceId: id,
        details: { version, properties: source === kept ? 'version' : 'current' },
      });
    });
}

/** Returns the row whose properties the restored document gets. */
function sourceOf(
  newest: StoredRow,
  kept: EarlierVersion,
  properties: RestoredProperties | undefined,
): StoredRow | EarlierVersion {
  const isSame =
    newest.file_name === kept.file_name &&
    newest.mime_type === kept.mime_type &&
    newest.language === kept.language &&
    sameMetadata(toMetadata(newest.metadata), toMetadata(kept.metadata));
  if (properties === undefined && !isSame) throw propertiesDiffer();
  if (properties !== 'current') return kept;
  if (newest.mime_type !== kept.mime_type) throw formatDiffers(newest.mime_type, kept.mime_type);
  return newest;
}
