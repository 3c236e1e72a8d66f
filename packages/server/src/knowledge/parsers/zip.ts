import { crc32, inflateRawSync } from 'node:zlib';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { ExtractionError, formatBytes, formatNumber } from './extraction-error.ts';
import { MAX_RATIO, MAX_UNPACKED, MAX_ZIP_ENTRIES, RATIO_COUNTS_FROM } from './limits.ts';

/** A file in a ZIP archive, as the archive's central directory describes it. */
export interface ZipEntry {
  readonly name: string;
  /** Unpacked bytes that the directory declares. Only `unpack` verifies them. */
  readonly size: number;
  /** Returns the unpacked file. Throws an `ExtractionError` unless size and checksum match. */
  unpack(): Promise<Buffer>;
}

const END_RECORD = Buffer.from('PK\u0005\u0006');
const END_RECORD_LENGTH = 22;
const ENCRYPTED = 1;
const STORED = 0;
const DEFLATED = 8;

/**
 * Returns the entries of a ZIP archive without unpacking them. Throws an `ExtractionError` if the directory is damaged, an
 * entry is encrypted, or the number of entries or their declared sizes exceed the limits.
 */
export async function readZip(bytes: Buffer): Promise<ZipEntry[]> {
  const zip = withoutTrailingBytes(bytes);
  const entries: ZipEntry[] = [];
  let unpacked = 0;
  try {
    const file = await fromBufferPromise(zip, {
      lazyEntries: true,
      // The names of entries are only compared, never used as paths.
      decodeStrings: false,
      // `unpack` checks sizes. Checking here would hide the error of an encrypted entry.
      validateEntrySizes: false,
    });
    if (file.entryCount > MAX_ZIP_ENTRIES)
      throw new ExtractionError(
        'too-large',
        `The file contains more than ${formatNumber(MAX_ZIP_ENTRIES)} parts; split the document.`,
      );
    for await (const entry of file.eachEntry()) {
      if (entry.generalPurposeBitFlag & ENCRYPTED) throw encrypted();
      unpacked += entry.uncompressedSize;
      entries.push({
        name: entry.fileNameRaw.toString('utf8'),
        size: entry.uncompressedSize,
        unpack: () => unpack(zip, file, entry),
      });
    }
  } catch (error) {
    if (error instanceof ExtractionError) throw error;
    throw /strong encryption/.test(String(error)) ? encrypted() : damaged();
  }
  checkSize(unpacked, zip.length);
  return entries;
}

export function damaged(): ExtractionError {
  return new ExtractionError(
    'corrupt',
    'The file is damaged or incomplete. Save the document again and upload the new file.',
  );
}

function encrypted(): ExtractionError {
  return new ExtractionError(
    'encrypted',
    'The file is protected by a password. Save the document without a password.',
  );
}

/** Removes bytes after the archive, such as a line break from a mail gateway. yauzl rejects such bytes. */
function withoutTrailingBytes(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf(END_RECORD);
  if (end === -1 || end + END_RECORD_LENGTH > bytes.length) return bytes;
  const commentLength = bytes.readUInt16LE(end + END_RECORD_LENGTH - 2);
  return bytes.subarray(0, end + END_RECORD_LENGTH + commentLength);
}

function checkSize(unpacked: number, zipLength: number): void {
  if (unpacked > MAX_UNPACKED)
    throw new ExtractionError(
      'too-large',
      `The file unpacks to more than ${formatBytes(MAX_UNPACKED)}.`,
    );
  if (unpacked > RATIO_COUNTS_FROM && unpacked > zipLength * MAX_RATIO)
    throw new ExtractionError(
      'too-large',
      `The file unpacks to more than ${MAX_RATIO} times its size. Documents do not compress that well.`,
    );
}

/**
 * Inflates an entry with zlib's own output limit. The library's streams check sizes only after a chunk is in memory, and
 * check no checksums.
 */
async function unpack(zip: Buffer, file: ZipFile, entry: Entry): Promise<Buffer> {
  const { compressionMethod, compressedSize, uncompressedSize } = entry;
  try {
    const { fileDataStart } = await file.readLocalFileHeaderPromise(entry, { minimal: true });
    const packed = zip.subarray(fileDataStart, fileDataStart + compressedSize);
    const bytes = inflate(compressionMethod, packed, uncompressedSize);
    if (bytes.length === uncompressedSize && crc32(bytes) === entry.crc32) return bytes;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw new ExtractionError(
        'too-large',
        'The file unpacks to more than it declares. Save the document again and upload the new file.',
      );
  }
  throw damaged();
}

function inflate(method: number, packed: Buffer, unpacked: number): Buffer {
  if (method === STORED) return packed;
  if (method !== DEFLATED) throw damaged();
  return inflateRawSync(packed, { maxOutputLength: Math.max(1, unpacked) });
}
