import { randomInt } from 'node:crypto';

/** Returns random characters of three bytes in UTF-8 each. An index of PostgreSQL cannot compress them. */
export function incompressible(length: number): string {
  return Array.from({ length }, () => String.fromCharCode(0x4e00 + randomInt(20_000))).join('');
}
