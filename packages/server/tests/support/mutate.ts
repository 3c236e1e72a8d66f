import type { Seeded } from './seeded.ts';

const PIECES = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '\\u0000',
  '\\ud800',
  '\\u',
  '"__proto__":{"toString":1},',
  '"constructor":{"prototype":{}},',
  '"auth":{},',
  '"auth":null,',
  '"events":[],',
  '"id":"\\u0000",',
  '"time":"2026-02-30T00:00:00Z",',
  'null',
  'true',
  '-0',
  '1e999',
  '12345678901234567890',
  '"toString"',
  '[[[[[[[[[[',
  '\u0000',
  '\u2028',
  '\ufeff',
  ' ',
  '\n',
].map((piece) => Buffer.from(piece));

const MAX_CHANGES = 2;
const MAX_SLICE = 60;

export function mutate(bytes: Buffer, random: Seeded): Buffer<ArrayBuffer> {
  let changed = Buffer.from(bytes);
  for (let left = 1 + random.below(MAX_CHANGES); left > 0; left -= 1)
    changed = change(changed, random);
  return changed;
}

function change(bytes: Buffer, random: Seeded): Buffer<ArrayBuffer> {
  const offset = random.below(bytes.length + 1);
  const end = Math.min(bytes.length, offset + random.below(MAX_SLICE));
  const before = bytes.subarray(0, offset);
  const slice = bytes.subarray(offset, end);
  switch (random.below(7)) {
    case 0:
      return Buffer.concat([before, Buffer.from([random.below(256)]), bytes.subarray(offset + 1)]);
    case 1:
      return Buffer.concat([before, random.pick(PIECES), bytes.subarray(offset)]);
    case 2:
      return Buffer.concat([before, random.pick(PIECES), bytes.subarray(end)]);
    case 3:
      return Buffer.concat([before, bytes.subarray(end)]);
    case 4:
      return Buffer.concat([before, slice, slice, bytes.subarray(end)]);
    case 5:
      return swapDigits(bytes, random);
    default:
      return random.next() < 0.2 ? Buffer.from(before) : Buffer.concat([bytes, slice]);
  }
}

/** Changes values and usually preserves the JSON structure. */
function swapDigits(bytes: Buffer, random: Seeded): Buffer<ArrayBuffer> {
  const text = bytes.toString('latin1');
  const swapped = text.replace(/[0-9a-z]/g, (character) =>
    random.next() < 0.01 ? random.pick(['0', '9', 'z', '-', ' ', '\u00ff']) : character,
  );
  return Buffer.from(swapped, 'latin1');
}
