/**
 * A number as RFC 8785, section 3.2.2.3, writes it: the double nearest to it, printed by ECMAScript's rule.
 *
 * @param text a number as it stands in JSON.
 * @returns null for one beyond all doubles, which the RFC refuses, and for one beyond 2^53 that is
 * not the number printed: there doubles tell whole numbers apart no more, so that an altered digit
 * of an id would leave the canonical form as it was.
 */
export function canonicalNumber(text: string): string | null {
  const value = Number(text);
  const printed = String(value);
  if (printed === text) return printed;
  if (!Number.isFinite(value)) return null;
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return printed;
  return decimal(text) === decimal(printed) ? printed : null;
}

const PARTS = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/** The same text for the same decimal value, however it is written; of numbers beyond 2^53. */
function decimal(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = PARTS.exec(text) ?? [];
  const digits = whole + fraction;
  let start = 0;
  while (digits[start] === '0') start++;
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  const scale = Number(exponent) - fraction.length + (digits.length - end);
  return `${sign}${digits.slice(start, end)}e${scale}`;
}
