import { languageTag } from '../../translations/translate.ts';

export interface TimeProps {
  /** RFC 3339, or Unix milliseconds. `null`: shows `none`. */
  readonly at: string | number | null;
  readonly none?: string;
}

/** A time in the time zone of the browser. The tooltip shows it in UTC with seconds. */
export function Time({ at, none = '–' }: TimeProps) {
  if (at === null) return <>{none}</>;
  const date = new Date(at);
  const iso = date.toISOString();
  return (
    <time dateTime={iso} title={iso}>
      {formatTime(date)}
    </time>
  );
}

let format: Intl.DateTimeFormat | undefined;

/** Formats a time in the language of the console and the time zone of the browser. */
export function formatTime(date: Date): string {
  format ??= new Intl.DateTimeFormat(languageTag(), { dateStyle: 'medium', timeStyle: 'short' });
  return format.format(date);
}
