import { useLocation } from 'preact-iso';
import { LongFilter } from '../../app/forms/long-filter.tsx';
import { useFilter, useQueryDraft } from '../../app/forms/query-draft.ts';
import { Field } from '../../components/field.tsx';
import { TimeField } from '../../components/times/time-field.tsx';
import { t } from '../../translations/translate.ts';

/** Conditions on attributes of an event. */
export type EventAttributes = Readonly<Partial<Record<'type' | 'source' | 'subject', string>>>;

/** Returns the conditions in the query of the page. Empty values are omitted. */
export function attributesOf(query: Readonly<Record<string, string>>): EventAttributes {
  const names = ['type', 'source', 'subject'] as const;
  return Object.fromEntries(
    names.flatMap((name) => (query[name] ? [[name, query[name]] as const] : [])),
  );
}

export interface EventFilterProps {
  /** Path of the page. The filter is in its query. */
  readonly path: string;
  /** `true`: the filter includes the time of receipt. */
  readonly hasTimes?: boolean;
}

/** The form that filters events. */
export function EventFilter({ path, hasTimes = false }: EventFilterProps) {
  const { query } = useLocation();
  const filter = useFilter(path);
  const [type, setType] = useQueryDraft(query['type'] ?? '');
  const [source, setSource] = useQueryDraft(query['source'] ?? '');
  const [subject, setSubject] = useQueryDraft(query['subject'] ?? '');
  const [from, setFrom] = useQueryDraft(query['from'] ?? '');
  const [to, setTo] = useQueryDraft(query['to'] ?? '');
  const isSet = ['type', 'source', 'subject', 'from', 'to'].some((name) => Boolean(query[name]));
  return (
    <LongFilter
      isSet={isSet}
      onFilter={() => filter({ type, source, subject, ...(hasTimes ? { from, to } : {}) })}
      after={
        isSet && (
          <a class="button" href={path}>
            {t('Show all')}
          </a>
        )
      }
    >
      <Field label={t('Type')} type="search" value={type} onValue={setType} />
      <Field label={t('Source')} type="search" value={source} onValue={setSource} />
      <Field label={t('Subject')} type="search" value={subject} onValue={setSubject} />
      {hasTimes && (
        <>
          <TimeField label={t('Received from')} value={from} onValue={setFrom} />
          <TimeField label={t('Received before')} value={to} onValue={setTo} />
        </>
      )}
    </LongFilter>
  );
}
