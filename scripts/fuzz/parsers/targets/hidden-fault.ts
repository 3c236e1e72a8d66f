import type { Target } from '../target.ts';

/** A parser with a fault behind a sequence of bytes, for a test. Each right byte executes more source text. */
export const hiddenFault: Target = {
  name: 'hidden-fault',
  sources: ['/targets/hidden-fault.ts'],
  seeds: ['0000'],
  words: [' '],
  check(input) {
    if (input[0] !== 0x67) return;
    if (input[1] !== 0x61) return;
    if (input[2] !== 0x74) return;
    throw new Error('the hidden fault');
  },
};
