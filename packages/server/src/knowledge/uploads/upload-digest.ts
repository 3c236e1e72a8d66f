import { createHash, type Hash } from 'node:crypto';
import type { UploadParts } from './multipart.ts';
import type { FileWriter } from './original-writer.ts';

/**
 * Returns the digest of a multipart upload. The digest depends only on the parts: clients choose a random boundary per request, so a
 * repeated upload has another boundary.
 *
 * @param sha256 SHA-256 of the file, hexadecimal.
 */
export function digestOfParts(
  { file, metadata, language, title, url }: UploadParts<unknown>,
  sha256: string,
): string {
  const { name, contentType } = file;
  const parts = ['multipart', name, contentType, sha256];
  return digestOf(JSON.stringify([...parts, ...[metadata, language, title, url].map(orNull)]));
}

function orNull(text: string | undefined): string | null {
  return text ?? null;
}

export function digestOf(body: string | Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}

/** Computes the SHA-256 of a file and discards the file. */
export class DigestWriter implements FileWriter<{ readonly sha256: string }> {
  readonly #hash: Hash = createHash('sha256');

  async write(chunk: Uint8Array): Promise<void> {
    this.#hash.update(chunk);
  }

  async finish(): Promise<{ readonly sha256: string }> {
    return { sha256: this.#hash.digest('hex') };
  }
}
