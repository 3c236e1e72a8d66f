/** A longer delay exceeds the limit of timers, which then end at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Starts a timer. A delay beyond the limit of timers, such as `Infinity`, counts as the limit of 24.8 days. */
export function startTimer(
  callback: () => void,
  milliseconds: number,
): ReturnType<typeof setTimeout> {
  return setTimeout(callback, Math.min(milliseconds, MAX_DELAY_MS));
}
