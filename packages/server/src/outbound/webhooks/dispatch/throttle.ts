const QUIET_MS = 60_000;

/** Calls it no more than once a minute: many deliveries are parked together. */
export function throttle<Told extends unknown[]>(
  call: (...told: Told) => void,
): (...told: Told) => void {
  let quietUntil = Number.NEGATIVE_INFINITY;
  return (...told) => {
    if (performance.now() < quietUntil) return;
    quietUntil = performance.now() + QUIET_MS;
    call(...told);
  };
}
