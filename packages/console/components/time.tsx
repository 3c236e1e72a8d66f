export interface TimeProps {
  /** RFC 3339, or Unix milliseconds. `null`: shows `none`. */
  readonly at: string | number | null;
  readonly none?: string;
}

const FULL = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** A time in the time zone of the browser. The tooltip shows it in UTC with seconds. */
export function Time({ at, none = '–' }: TimeProps) {
  if (at === null) return <>{none}</>;
  const date = new Date(at);
  const iso = date.toISOString();
  return (
    <time dateTime={iso} title={iso}>
      {FULL.format(date)}
    </time>
  );
}
