import type { Seeded } from '../../../packages/server/tests/support/seeded.ts';

const MAX_BYTES = 16 * 1024;
const MAX_CHANGES = 6;
/** Number of entries at the end of the corpus from which every second input is made. */
const NEWEST = 3;
const MAX_REPEATS = 400;
const BYTES = Buffer.from(
  '\0\t\n\r "#%&\'()*+,-./0159:;<=>?@[\\]^_`az{|}~\x7f\x80\xbf\xc0\xe2\xed\xf0\xff',
  'latin1',
);
const NUMBERS = ['0', '-1', '1e999', '2147483648', '9007199254740993', '0.1', '00', '-0', '1e-7'];
const NUMBER = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;

/** Returns a changed copy of a random entry of the corpus. */
export function mutated(
  random: Seeded,
  corpus: readonly Buffer[],
  words: readonly string[],
): Buffer {
  // Inputs that have just reached new source text often lead to more of it.
  let input = random.pick(random.below(2) === 0 ? corpus : corpus.slice(-NEWEST));
  for (let left = 1 + random.below(1 + random.below(MAX_CHANGES)); left > 0; left -= 1)
    input = changed(random, input, corpus, words);
  return input.subarray(0, MAX_BYTES);
}

function changed(
  random: Seeded,
  input: Buffer,
  corpus: readonly Buffer[],
  words: readonly string[],
): Buffer {
  const [from, to] = range(random, input.length);
  const part = input.subarray(from, to);
  switch (random.below(9)) {
    case 0:
      return replaced(input, from, to, Buffer.alloc(0));
    case 1:
      return replaced(input, from, from, part);
    case 2:
      return replaced(input, from, from + 1, Buffer.of(random.pick([...BYTES])));
    case 3:
      return replaced(
        input,
        from,
        from + 1,
        Buffer.of((input[from] ?? 0) ^ (1 << random.below(8))),
      );
    case 4:
      return replaced(input, from, random.pick([from, to]), Buffer.from(random.pick(words)));
    case 5: {
      const other = random.pick(corpus);
      const [start, end] = range(random, other.length);
      return replaced(input, from, random.pick([from, to]), other.subarray(start, end));
    }
    case 6: {
      const repeats = Math.min(random.below(MAX_REPEATS), Math.ceil(MAX_BYTES / (part.length + 1)));
      return replaced(input, from, to, Buffer.concat(Array(repeats).fill(part)));
    }
    case 7:
      return withOtherNumber(random, input);
    default:
      return replaced(input, from, from, Buffer.of(random.below(256)));
  }
}

/** Returns a range that is usually short. */
function range(random: Seeded, length: number): [number, number] {
  const from = random.below(length + 1);
  const longest = random.pick([4, 16, 64, length]);
  return [from, Math.min(length, from + 1 + random.below(longest + 1))];
}

function replaced(input: Buffer, from: number, to: number, by: Buffer): Buffer {
  return Buffer.concat([input.subarray(0, from), by, input.subarray(to)]);
}

function withOtherNumber(random: Seeded, input: Buffer): Buffer {
  const found = [...input.toString('latin1').matchAll(NUMBER)];
  if (found.length === 0) return input;
  const { index, 0: text } = random.pick(found);
  return replaced(input, index, index + text.length, Buffer.from(random.pick(NUMBERS)));
}
