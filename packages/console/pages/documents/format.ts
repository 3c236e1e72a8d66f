import { languageTag } from '../../translations/translate.ts';

const UNITS = ['byte', 'kilobyte', 'megabyte'] as const;
/** The number formats that have been needed, by the power of 1,000. Creating one takes much longer than using it. */
const formats: Intl.NumberFormat[] = [];

/** Formats a number of bytes with a suitable unit, such as `2.3 kB`. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1000 ? 0 : bytes < 1_000_000 ? 1 : 2;
  formats[power] ??= new Intl.NumberFormat(languageTag(), {
    style: 'unit',
    unit: UNITS[power] ?? 'byte',
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: power === 0 ? 0 : 1,
  });
  return formats[power].format(bytes / 1000 ** power);
}
