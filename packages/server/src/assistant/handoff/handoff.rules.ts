import type { HandoffSettings } from '@gatehouse/contract';

/**
 * Reports whether the team answers at a time. Periods are in the time zone of the opening hours, so they follow summer time.
 *
 * @param now Unix milliseconds.
 */
export function isOpen({ openingHours }: HandoffSettings, now: number): boolean {
  if (openingHours == null) return true;
  const { timeZone, periods } = openingHours;
  const { day, time } = localTime(timeZone, now);
  return periods.some((period) => period.day === day && period.from <= time && time < period.to);
}

/** Returns the weekday in lower case and the time of day as `HH:MM`. */
function localTime(timeZone: string, now: number): { day: string; time: string } {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    weekday: 'long',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const parts = new Map(format.formatToParts(now).map(({ type, value }) => [type, value]));
  return {
    day: (parts.get('weekday') ?? '').toLowerCase(),
    time: `${parts.get('hour')}:${parts.get('minute')}`,
  };
}

/** Name of a team member whose user has no name that may be shown. */
const NAMELESS = 'Team';

/** Returns the name of a user that visitors may see. A name that is an email address is shortened, so that no address is shown. */
export function shownName(name: string): string {
  const shown = name.split('@')[0]?.trim() ?? '';
  return shown === '' ? NAMELESS : shown.slice(0, 100).toWellFormed();
}
