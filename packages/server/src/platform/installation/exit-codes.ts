/** Exit codes of sysexits.h: https://man.freebsd.org/cgi/man.cgi?sysexits */
export const EXIT = {
  done: 0,
  wrongUse: 64,
  failed: 70,
  tryLater: 75,
  misconfigured: 78,
} as const;
