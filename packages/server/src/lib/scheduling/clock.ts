/** Returns the current time in Unix milliseconds. Services receive the clock as a parameter, so tests can control the time. */
export type Clock = () => number;

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

/** Returns a time in Unix milliseconds as a text, such as `2026-11-28T09:30:00.000Z`. */
export function toTime(milliseconds: number): string;
export function toTime(milliseconds: number | null): string | null;
export function toTime(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}

/** Parses a time that the schema of a request has accepted. Returns Unix milliseconds, or `null` without a time. */
export function toMilliseconds(text: string | undefined): number | null {
  return text === undefined ? null : Date.parse(text);
}

/** Returns the day of a time in UTC, such as `2026-11-28`. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
