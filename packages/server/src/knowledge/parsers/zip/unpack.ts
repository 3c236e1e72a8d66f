import { crc32, inflateRawSync } from 'node:zlib';
import { Refusal } from '../refusal.ts';
import { damaged, type ZipEntry } from './directory.ts';

const LOCAL_MARK = 0x04034b50;
const LOCAL_LENGTH = 30;
const STORED = 0;
const DEFLATED = 8;

/** The bytes of a file in a zip: never more than its entry declares. Throws a `Refusal` when they are not those. */
export function unpack(zip: Buffer, { at, method, packed, unpacked, crc }: ZipEntry): Buffer {
  if (at + LOCAL_LENGTH > zip.length || zip.readUInt32LE(at) !== LOCAL_MARK) throw damaged();
  const start = at + LOCAL_LENGTH + zip.readUInt16LE(at + 26) + zip.readUInt16LE(at + 28);
  if (start + packed > zip.length) throw damaged();
  const bytes = inflate(method, zip.subarray(start, start + packed), unpacked);
  if (bytes.length !== unpacked || crc32(bytes) !== crc) throw damaged();
  return bytes;
}

function inflate(method: number, packed: Buffer, unpacked: number): Buffer {
  if (method === STORED) return packed;
  if (method !== DEFLATED) throw damaged();
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, unpacked) });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw damaged();
    throw new Refusal(
      'too-large',
      'The file unpacks to more than it declares; no document does that.',
    );
  }
}
