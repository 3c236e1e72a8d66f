import { createHash } from 'node:crypto';
import type { Document } from '@gatehouse/client';
import type { JsonObject } from '../input/values.ts';

/** Metadata key of the mark that `documents push` stores with each document. */
export const MARK = '_push';

/** The part of a document that an upload sends in addition to the file. */
export interface Description {
  readonly metadata: JsonObject;
  readonly language: string | undefined;
}

/** A mark identifies the folder and the content of an upload, so that unchanged files need no upload. */
export interface Mark {
  readonly prefix: string;
  readonly sha256: string;
}

/** Returns the digest of a file and its description. */
export function digestOf(bytes: Uint8Array, { metadata, language }: Description): string {
  const description = JSON.stringify([metadata, language ?? null]);
  return createHash('sha256')
    .update(`${description.length}:${description}`)
    .update(bytes)
    .digest('hex');
}

/** Returns the mark of a document, or `undefined` if `documents push` did not upload it. */
export function markOf({ metadata }: Document): Mark | undefined {
  const mark = metadata[MARK];
  if (typeof mark !== 'object' || mark === null) return undefined;
  const { prefix, sha256 } = mark as Readonly<Record<string, unknown>>;
  return typeof prefix === 'string' && typeof sha256 === 'string' ? { prefix, sha256 } : undefined;
}
