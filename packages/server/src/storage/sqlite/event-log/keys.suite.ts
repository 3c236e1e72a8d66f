import { hash } from 'node:crypto';
import { toWords } from '../../event-log/stored-texts.ts';
import { KEY_WORDS } from './identity-keys.ts';

export function keysOf(numbers: readonly number[]): Uint32Array {
  const words = new Uint32Array(numbers.length * KEY_WORDS);
  for (const [index, number] of numbers.entries()) {
    const digest = hash('sha256', String(number), 'buffer').subarray(0, KEY_WORDS * 4);
    words.set(toWords(digest), index * KEY_WORDS);
  }
  return words;
}

export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}
