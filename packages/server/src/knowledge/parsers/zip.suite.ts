import { crc32 } from 'node:zlib';

const VERSION = 20;
const UTF8_NAMES = 0x0800;
const STORED = 0;
/** 1 January 1980, the earliest date that the ZIP format can express. */
const NO_DATE = 0x21;

export function pack(files: ReadonlyMap<string, Buffer>): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, bytes] of files) {
    const encoded = Buffer.from(name);
    const about = describe(encoded, bytes);
    const local = Buffer.concat([uint32(0x04034b50), about, encoded, bytes]);
    const location = Buffer.concat([uint16(0, 0, 0), uint32(0, at)]);
    directory.push(uint32(0x02014b50), uint16(VERSION), about, location, encoded);
    locals.push(local);
    at += local.length;
  }
  const entries = Buffer.concat(directory);
  const count = files.size;
  const end = [
    uint32(0x06054b50),
    uint16(0, 0, count, count),
    uint32(entries.length, at),
    uint16(0),
  ];
  return Buffer.concat([...locals, entries, ...end]);
}

/** Returns the fields that the local header and the central directory share. */
function describe(name: Buffer, bytes: Buffer): Buffer {
  return Buffer.concat([
    uint16(VERSION, UTF8_NAMES, STORED, 0, NO_DATE),
    uint32(crc32(bytes), bytes.length, bytes.length),
    uint16(name.length, 0),
  ]);
}

function uint16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) bytes.writeUInt16LE(value, index * 2);
  return bytes;
}

function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4);
  return bytes;
}
