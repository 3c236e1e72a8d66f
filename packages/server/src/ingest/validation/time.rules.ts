const ZERO = 0x30;
const NINE = 0x39;
const DASH = 0x2d;
const COLON = 0x3a;
const DOT = 0x2e;
const UPPER_T = 0x54;
const UPPER_Z = 0x5a;
const EXAMPLE = 'a UTC time such as 2026-03-04T05:06:07Z';

/**
 * What is wrong with an event's `time`; null when nothing is. The form is
 * `YYYY-MM-DDTHH:MM[:SS[.fraction]]Z` with a date that exists, hours to 23 and minutes and seconds
 * to 59; the fraction has any number of digits (interface, section 2.4).
 */
export function timeFault(value: string): string | null {
  const last = value.length - 1;
  if (!hasForm(value, last)) return formFault(value);
  const year = twoDigits(value, 0) * 100 + twoDigits(value, 2);
  const month = twoDigits(value, 5);
  const day = twoDigits(value, 8);
  if (month < 1 || month > 12) return 'must have a month from 01 to 12';
  if (day < 1 || day > daysIn(year, month)) {
    return `must be a date that exists: ${value.slice(0, 7)} has ${daysIn(year, month)} days`;
  }
  if (twoDigits(value, 11) > 23) return 'must have an hour from 00 to 23';
  if (twoDigits(value, 14) > 59) return 'must have a minute from 00 to 59';
  if (last > 16 && twoDigits(value, 17) > 59) {
    return 'must have a second from 00 to 59; write a leap second as 59';
  }
  return null;
}

/** Whether digits and separators stand where they must. */
function hasForm(value: string, last: number): boolean {
  if (
    last < 16 ||
    value.charCodeAt(last) !== UPPER_Z ||
    value.charCodeAt(4) !== DASH ||
    value.charCodeAt(7) !== DASH ||
    value.charCodeAt(10) !== UPPER_T ||
    value.charCodeAt(13) !== COLON ||
    !areDigits(value, 0, 4) ||
    !areDigits(value, 5, 7) ||
    !areDigits(value, 8, 10) ||
    !areDigits(value, 11, 13) ||
    !areDigits(value, 14, 16)
  ) {
    return false;
  }
  if (last === 16) return true;
  if (last < 19 || value.charCodeAt(16) !== COLON || !areDigits(value, 17, 19)) return false;
  if (last === 19) return true;
  return value.charCodeAt(19) === DOT && last > 20 && areDigits(value, 20, last);
}

export function areDigits(value: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = value.charCodeAt(at);
    if (code < ZERO || code > NINE) return false;
  }
  return true;
}

export function twoDigits(value: string, at: number): number {
  return value.charCodeAt(at) * 10 + value.charCodeAt(at + 1) - ZERO * 11;
}

export function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function formFault(value: string): string {
  const upper = value.toUpperCase();
  if (upper !== value && hasForm(upper, upper.length - 1)) {
    return `must be written with a capital T and Z: ${EXAMPLE}`;
  }
  if (value.charCodeAt(10) === UPPER_T) {
    const tail = value.slice(-6);
    if (/[+-]\d{2}(?::?\d{2})?$/.test(tail)) {
      return `must be in UTC and end with Z; convert it from its offset: ${EXAMPLE}`;
    }
    if (/\d$/.test(tail)) return `must end with Z, for UTC: ${EXAMPLE}`;
  }
  return `must be ${EXAMPLE}`;
}
