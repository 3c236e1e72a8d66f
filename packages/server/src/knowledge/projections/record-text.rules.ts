import { MAX_FILE_NAME_LENGTH } from '@gatehouse/contract';
import type { JsonObject, JsonValue } from '@gatehouse/filter';
import { type Definition, metadataFields, metadataOf, render } from './definition.rules.ts';
import { type HistoryEntry, MAX_SHOWN_VALUE, type RecordState } from './record-state.rules.ts';

/** A record as searches and citations show it. */
export interface RenderedRecord {
  readonly fileName: string;
  readonly title: string;
  readonly heading: string;
  readonly text: string;
  readonly metadata: JsonObject;
}

const MAX_TITLE = 500;
const MAX_TEXT = 8000;
const NO_VALUE = '–';
const MONTHS =
  'January February March April May June July August September October November December'.split(
    ' ',
  );

/** Returns the title, text and metadata of a record, or `null` if the record does not exist or its metadata is not valid. */
export function renderRecord(
  definition: Definition,
  key: string,
  { fields, history }: RecordState,
): RenderedRecord | null {
  if (history.length === 0) return null;
  const isUnusable = [...metadataFields(definition)].some((name) => fields[name]?.isUnusable);
  if (isUnusable) return null;
  const values = new Map(Object.entries(fields).map(([name, { value }]) => [name, value]));
  const textOf = (name: string) => (name === 'key' ? line(key) : shown(values.get(name)));
  const metadata = metadataOf(definition, key, values);
  if (metadata === null) return null;
  const heading = `${definition.name} ${line(key)}`;
  return {
    fileName: [...heading.replaceAll(/[/\\]/g, '_')].slice(0, MAX_FILE_NAME_LENGTH).join(''),
    title: cut(line(render(definition.title, textOf)) || heading, MAX_TITLE),
    heading,
    text: withHistory(cut(render(definition.text, textOf).trim() || heading, MAX_TEXT), history),
    metadata,
  };
}

/** Appends a line per event, newest first, up to the maximum length of the text. Short answers quote the first lines. */
function withHistory(text: string, history: readonly HistoryEntry[]): string {
  const lines = history.map((entry, index) => historyLine(entry, history[index - 1])).reverse();
  let length = text.length;
  const end = lines.findIndex((one) => {
    length += one.length + 1;
    return length > MAX_TEXT;
  });
  const kept = end === -1 ? lines : lines.slice(0, end);
  return kept.length === 0 ? text : `${text}\n\n${kept.join('\n')}`;
}

/** Returns the date, the changed values and the event, such as `3 May 2026: status: shipped (order.shipped, event 7).` */
function historyLine({ event, values }: HistoryEntry, previous: HistoryEntry | undefined): string {
  const before = previous?.values ?? {};
  const changed = Object.entries(values).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  );
  const facts = changed.map(([name, value]) => `${name}: ${shown(value)}`).join(', ');
  const origin = `${line(event.type)}, event ${line(event.id)}`;
  return facts === ''
    ? `${dateOf(event.time)}: no change (${origin}).`
    : `${dateOf(event.time)}: ${facts} (${origin}).`;
}

function dateOf(time: number): string {
  const date = new Date(time);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

function shown(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return NO_VALUE;
  return line(typeof value === 'string' ? value : JSON.stringify(value)) || NO_VALUE;
}

/** Returns the text on one line, well-formed and without control characters, so that a value cannot imitate another line. */
function line(text: string): string {
  const oneLine = text
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  return cut(oneLine, MAX_SHOWN_VALUE);
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}
