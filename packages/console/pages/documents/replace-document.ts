import { ApiError, type Document, type UploadOptions } from '@gatehouse/client';
import { client } from '../../app/client.ts';
import { t } from '../../translations/translate.ts';

const POLL_MS = 500;
const MAX_WAIT_MS = 10 * 60_000;

/** The result of replacing a document. */
export type Replaced =
  | { readonly ok: true; readonly document: Document }
  | { readonly ok: false; readonly reason: string };

/**
 * Replaces the file of a document and keeps its URL, its metadata and a title that was set. A document with a key is replaced in place. Another document is
 * deleted after the new one has been indexed, so the assistant always finds one of the two.
 */
export async function replaceDocument(
  old: Document,
  file: File,
  options: Pick<UploadOptions, 'onProgress'>,
): Promise<Replaced> {
  const { spaceId, key, metadata, givenTitle, url } = old;
  const upload = {
    file,
    metadata,
    ...(givenTitle !== null && { title: givenTitle }),
    ...(url !== null && { url }),
  };
  if (key !== null) {
    const document = await client.documents.put(key, upload, { ...options, spaceId });
    return { ok: true, document };
  }
  const added = await client.documents.create(upload, { ...options, spaceId });
  // The same name and content.
  if (added.id === old.id) return { ok: true, document: added };
  const indexed = await untilIndexed(added);
  if (indexed.state === 'ready') {
    await remove(old);
    return { ok: true, document: indexed };
  }
  if (indexed.state === 'processing')
    return { ok: false, reason: t('Indexing takes a long time. Delete the old document later.') };
  await remove(added);
  return {
    ok: false,
    reason: t('The old document stays, because the new file cannot be read: {reason}', {
      reason: indexed.failure ?? '',
    }),
  };
}

/** Deletes a document, unless an earlier attempt or somebody else has deleted it. */
async function remove({ id, spaceId }: Document): Promise<void> {
  try {
    await client.documents.delete(id, { spaceId });
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  }
}

async function untilIndexed(added: Document): Promise<Document> {
  let document = added;
  for (const end = Date.now() + MAX_WAIT_MS; Date.now() < end; ) {
    if (document.state !== 'processing') break;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    document = await client.documents.get(added.id, { spaceId: added.spaceId });
  }
  return document;
}
