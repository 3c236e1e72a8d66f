import { useFilter, useQueryDraft } from '../../app/forms/query-draft.ts';
import { submits } from '../../app/forms/submits.ts';
import { withQuery } from '../../app/paths.ts';
import { Field } from '../../components/field.tsx';
import { t } from '../../translations/translate.ts';

interface PeopleSearchProps {
  /** The text in the address. */
  readonly search: string;
  /** Path and query of the list without the search. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
}

/** The search field of a list of people. */
export function PeopleSearch({ search, path, query = {} }: PeopleSearchProps) {
  const filter = useFilter(path);
  const [text, setText] = useQueryDraft(search);
  return (
    <search>
      <form class="row" onSubmit={submits(() => filter({ ...query, search: text }))}>
        <Field
          label={t('Name or email address contains')}
          type="search"
          maxLength={200}
          value={text}
          onValue={setText}
        />
        <button type="submit">{t('Filter')}</button>
      </form>
    </search>
  );
}

/** Shown if no person matches a search. */
export function NobodyMatches({ path, query = {} }: Omit<PeopleSearchProps, 'search'>) {
  return (
    <p>
      {t('Nobody matches.')} <a href={withQuery(path, query)}>{t('Show all people')}</a>
    </p>
  );
}
