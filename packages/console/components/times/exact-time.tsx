import { languageTag } from '../../translations/translate.ts';

let format: Intl.DateTimeFormat | undefined;

/** A time with seconds in the time zone of the browser. The tooltip shows it in UTC with milliseconds. */
export function ExactTime({ at }: { readonly at: string | null }) {
  if (at === null) return <>–</>;
  const date = new Date(at);
  format ??= new Intl.DateTimeFormat(languageTag(), {
    dateStyle: 'medium',
    timeStyle: 'medium',
  });
  return (
    <time dateTime={at} title={date.toISOString()}>
      {format.format(date)}
    </time>
  );
}
