import type { ChatRequest } from '@gatehouse/contract';

/** Language and time of the person who asks, as the client reports them. */
export interface AskerLocale {
  /** Canonical BCP 47 tag, or `null`. */
  readonly locale: string | null;
  /** Facts for the model, or `null`. */
  readonly time: { readonly timeZone: string; readonly localTime: string } | null;
}

export const UNKNOWN_LOCALE: AskerLocale = { locale: null, time: null };

/**
 * Returns the language and time of the person who sent a request. Ignores values that are not valid.
 *
 * @param now Unix milliseconds.
 */
export function askerLocaleOf({ locale, timeZone }: ChatRequest, now: number): AskerLocale {
  return { locale: canonical(locale), time: timeZone === undefined ? null : timeIn(timeZone, now) };
}

function canonical(locale: string | undefined): string | null {
  try {
    return Intl.getCanonicalLocales(locale)[0] ?? null;
  } catch {
    return null;
  }
}

function timeIn(timeZone: string, now: number): AskerLocale['time'] {
  try {
    const format = new Intl.DateTimeFormat('en-GB', {
      dateStyle: 'full',
      timeStyle: 'short',
      timeZone,
    });
    return { timeZone: format.resolvedOptions().timeZone, localTime: format.format(now) };
  } catch {
    return null;
  }
}
