const ZERO = 0x30;
const NINE = 0x39;
const DASH = 0x2d;
const COLON = 0x3a;
const DOT = 0x2e;
const UPPER_T = 0x54;
const UPPER_Z = 0x5a;
const EXAMPLE = '2026-03-04T05:06:07Z';

/**
 * Returns the problem with an event's `time`, or `null` if it is valid. The format is
 * `YYYY-MM-DDTHH:MM[:SS[.fraction]]Z` with any number of fraction digits. Leap seconds are not allowed.
 */
export function timeProblem(value: string): string | null {
  const last = value.length - 1;
  if (!hasForm(value, last)) return formProblem(value);
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

function areDigits(value: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = value.charCodeAt(at);
    if (code < ZERO || code > NINE) return false;
  }
  return true;
}

function twoDigits(value: string, at: number): number {
  return value.charCodeAt(at) * 10 + value.charCodeAt(at + 1) - ZERO * 11;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function formProblem(value: string): string {
  const upper = value.toUpperCase();
  if (upper !== value && hasForm(upper, upper.length - 1)) {
    return `must be written with a capital T and Z, such as ${EXAMPLE}`;
  }
  if (value.charCodeAt(10) === UPPER_T) {
    const tail = value.slice(-6);
    if (/[+-]\d{2}(?::?\d{2})?$/.test(tail)) {
      return `must be in UTC and end with Z, such as ${EXAMPLE}; convert it from its offset`;
    }
    if (/\d$/.test(tail)) return `must end with Z, for UTC, such as ${EXAMPLE}`;
  }
  return `must be a UTC time such as ${EXAMPLE}`;
}

const DATE_TIME_EXAMPLE =
  'an RFC 3339 time, such as 2026-03-04T05:06:07Z or 2026-03-04T06:06:07+01:00';
const LAST_MINUTE = 23 * 60 + 59;
const OFFSET = /^[+-]\d\d:\d\d$/;

/**
 * Returns the problem with a CloudEvents timestamp (RFC 3339, section 5.6), or `null` if it is valid. Offsets up to
 * 23:59 and lower-case `t` and `z` are allowed. Second 60 is allowed only in the last minute of a month in UTC.
 */
export function dateTimeProblem(value: string): string | null {
  const zoneStart =
    value.endsWith('Z') || value.endsWith('z') ? value.length - 1 : value.length - 6;
  const zone = value.slice(Math.max(0, zoneStart));
  if (!hasDateTimeForm(value, zoneStart) || (zone.length === 6 && !OFFSET.test(zone)))
    return `must be ${DATE_TIME_EXAMPLE}`;
  const year = twoDigits(value, 0) * 100 + twoDigits(value, 2);
  const month = twoDigits(value, 5);
  const day = twoDigits(value, 8);
  if (month < 1 || month > 12) return 'must have a month from 01 to 12';
  if (day < 1 || day > daysIn(year, month))
    return `must be a date that exists: ${value.slice(0, 7)} has ${daysIn(year, month)} days`;
  const [hour, minute, second] = [twoDigits(value, 11), twoDigits(value, 14), twoDigits(value, 17)];
  if (hour > 23) return 'must have an hour from 00 to 23';
  if (minute > 59) return 'must have a minute from 00 to 59';
  const offset = offsetOf(zone);
  if (offset === null) return 'must have an offset from -23:59 to +23:59';
  if (second < 60) return null;
  const isLeap = second === 60 && isEndOfMonth(year, month, day, hour * 60 + minute - offset);
  return isLeap ? null : 'must have a second from 00 to 59; 60 only at the end of a month in UTC';
}

function hasDateTimeForm(value: string, zoneStart: number): boolean {
  if (zoneStart < 19 || !/^.{4}-..-..[Tt]..:..:..$/.test(value.slice(0, 19))) return false;
  for (const [start, end] of DATE_TIME_DIGITS) if (!areDigits(value, start, end)) return false;
  return (
    zoneStart === 19 || (value[19] === '.' && zoneStart > 20 && areDigits(value, 20, zoneStart))
  );
}

const DATE_TIME_DIGITS = [
  [0, 4],
  [5, 7],
  [8, 10],
  [11, 13],
  [14, 16],
  [17, 19],
] as const;

/** Returns the offset from UTC in minutes, or `null` if it is out of range. */
function offsetOf(zone: string): number | null {
  if (zone.length === 1) return 0;
  const hours = twoDigits(zone, 1);
  const minutes = twoDigits(zone, 4);
  if (hours > 23 || minutes > 59) return null;
  return (zone[0] === '-' ? -1 : 1) * (hours * 60 + minutes);
}

/** @param minutes minutes since the start of the given day, in UTC. Negative values belong to the previous day. */
function isEndOfMonth(year: number, month: number, day: number, minutes: number): boolean {
  return minutes === -1 ? day === 1 : minutes === LAST_MINUTE && day === daysIn(year, month);
}
