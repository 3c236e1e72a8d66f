import { MAX_RATIO, MAX_UNPACKED, MAX_ZIP_ENTRIES, RATIO_COUNTS_FROM } from '../limits.ts';
import { Refusal, shown, shownBytes } from '../refusal.ts';

/** A file in a zip, as the central directory describes it (APPNOTE 6.3.10, section 4.3.12). */
export interface ZipEntry {
  readonly name: string;
  /** 0 stored, 8 deflated. */
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly unpacked: number;
  /** Offset of its local header. */
  readonly at: number;
}

const END_MARK = 0x06054b50;
const END_LENGTH = 22;
const MAX_COMMENT = 0xffff;
const ENTRY_MARK = 0x02014b50;
const ENTRY_LENGTH = 46;
const ENCRYPTED = 1;
/** Stands where the number is in a Zip64 record. A document that needs one is beyond every limit of ours. */
const IN_ZIP64 = 0xffffffff;

/**
 * The files of a zip. Throws a `Refusal` when the directory is damaged, or when what it declares is over
 * the limits; whether it tells the truth shows when a file is unpacked.
 */
export function readDirectory(zip: Buffer): ZipEntry[] {
  const end = findEnd(zip);
  const count = zip.readUInt16LE(end + 10);
  if (count > MAX_ZIP_ENTRIES)
    throw new Refusal('too-large', `The file holds more than ${shown(MAX_ZIP_ENTRIES)} parts.`);
  const entries: ZipEntry[] = [];
  let at = zip.readUInt32LE(end + 16);
  for (let index = 0; index < count; index++) {
    if (at + ENTRY_LENGTH > end || zip.readUInt32LE(at) !== ENTRY_MARK) throw damaged();
    const nameLength = zip.readUInt16LE(at + 28);
    entries.push(readEntry(zip, at, nameLength));
    at += ENTRY_LENGTH + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  checkSizes(entries, zip.length);
  return entries;
}

function readEntry(zip: Buffer, at: number, nameLength: number): ZipEntry {
  if (zip.readUInt16LE(at + 8) & ENCRYPTED)
    throw new Refusal('encrypted', 'The file is protected by a password. Save it without one.');
  const packed = zip.readUInt32LE(at + 20);
  const unpacked = zip.readUInt32LE(at + 24);
  const local = zip.readUInt32LE(at + 42);
  if (packed === IN_ZIP64 || unpacked === IN_ZIP64 || local === IN_ZIP64) throw tooLarge();
  const name = zip.toString('utf8', at + ENTRY_LENGTH, at + ENTRY_LENGTH + nameLength);
  const method = zip.readUInt16LE(at + 10);
  return { name, method, crc: zip.readUInt32LE(at + 16), packed, unpacked, at: local };
}

function checkSizes(entries: readonly ZipEntry[], zipLength: number): void {
  let unpacked = 0;
  for (const entry of entries) unpacked += entry.unpacked;
  if (unpacked > MAX_UNPACKED) throw tooLarge();
  if (unpacked > RATIO_COUNTS_FROM && unpacked > zipLength * MAX_RATIO)
    throw new Refusal(
      'too-large',
      `The file unpacks to more than ${MAX_RATIO} times its size; no document does that.`,
    );
}

/** The end record is at the very end, before a comment of any length. */
function findEnd(zip: Buffer): number {
  const first = Math.max(0, zip.length - END_LENGTH - MAX_COMMENT);
  for (let at = zip.length - END_LENGTH; at >= first; at--)
    if (zip.readUInt32LE(at) === END_MARK) return at;
  throw damaged();
}

export function damaged(): Refusal {
  return new Refusal('corrupt', 'The file is damaged or incomplete. Save it again and resend it.');
}

function tooLarge(): Refusal {
  return new Refusal('too-large', `The file unpacks to more than ${shownBytes(MAX_UNPACKED)}.`);
}
