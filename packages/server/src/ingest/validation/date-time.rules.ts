import { areDigits, daysIn, twoDigits } from './time.rules.ts';

const EXAMPLE = 'a time as in RFC 3339, such as 2026-03-04T05:06:07Z or 2026-03-04T06:06:07+01:00';
const LAST_MINUTE = 23 * 60 + 59;
const OFFSET = /^[+-]\d\d:\d\d$/;

/**
 * What is wrong with a CloudEvents timestamp (RFC 3339, section 5.6); null when nothing is. Any
 * offset to 23:59, `t` and `z` in either case, any number of digits in the fraction, and the second
 * 60 only where a leap second may stand: in the last minute of a month in UTC.
 */
export function dateTimeFault(value: string): string | null {
  const behind = value.endsWith('Z') || value.endsWith('z') ? value.length - 1 : value.length - 6;
  const zone = value.slice(Math.max(0, behind));
  if (!hasForm(value, behind) || (zone.length === 6 && !OFFSET.test(zone)))
    return `must be ${EXAMPLE}`;
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

/** @param behind where the zone begins. */
function hasForm(value: string, behind: number): boolean {
  if (behind < 19 || !/^.{4}-..-..[Tt]..:..:..$/.test(value.slice(0, 19))) return false;
  for (const [start, end] of DIGITS) if (!areDigits(value, start, end)) return false;
  return behind === 19 || (value[19] === '.' && behind > 20 && areDigits(value, 20, behind));
}

const DIGITS = [
  [0, 4],
  [5, 7],
  [8, 10],
  [11, 13],
  [14, 16],
  [17, 19],
] as const;

/** Minutes before UTC; null when it is none. */
function offsetOf(zone: string): number | null {
  if (zone.length === 1) return 0;
  const hours = twoDigits(zone, 1);
  const minutes = twoDigits(zone, 4);
  if (hours > 23 || minutes > 59) return null;
  return (zone[0] === '-' ? -1 : 1) * (hours * 60 + minutes);
}

/** @param minutes of the day in UTC; below 0 it is the day before. No offset leads to the end of the next day. */
function isEndOfMonth(year: number, month: number, day: number, minutes: number): boolean {
  return minutes === -1 ? day === 1 : minutes === LAST_MINUTE && day === daysIn(year, month);
}
