import { languageTag } from '../../translations/translate.ts';

/** A time with seconds in the time zone of the browser. The tooltip shows it in UTC with milliseconds. */
export function ExactTime({ at }: { readonly at: string | null }) {
  if (at === null) return <>–</>;
  const date = new Date(at);
  return (
    <time dateTime={at} title={date.toISOString()}>
      {formatExactTime(date)}
    </time>
  );
}

let format: Intl.DateTimeFormat | undefined;

/** Formats a time with seconds in the language of the console and the time zone of the browser. */
export function formatExactTime(date: Date): string {
  format ??= new Intl.DateTimeFormat(languageTag(), { dateStyle: 'medium', timeStyle: 'medium' });
  return format.format(date);
}
