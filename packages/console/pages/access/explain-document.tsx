import type { Explanation } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { client } from '../../app/client.ts';
import { submits } from '../../app/forms/submits.ts';
import { useAction, useLoaded } from '../../app/loading.ts';
import { Field, Select } from '../../components/field.tsx';
import { LoadingNote } from '../../components/loading-note.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Table } from '../../components/table.tsx';
import { t } from '../../translations/translate.ts';
import type { TargetProps } from './target.ts';

/** Explains for one document why the link shows or hides it. */
export function ExplainDocument({ spaceId, target }: TargetProps) {
  const [typed, setTyped] = useState('');
  const [search, setSearch] = useState('');
  const documents = useLoaded(`documents ${spaceId} ${search}`, () =>
    client.documents.list(
      { limit: 100, order: 'newest', ...(search === '' ? {} : { search }) },
      { spaceId },
    ),
  );
  const [documentId, setDocumentId] = useState('');
  const [explanation, setExplanation] = useState<Explanation | null>(null);
  const explain = useAction(async (id: string) => {
    setDocumentId(id);
    setExplanation(
      id === ''
        ? null
        : await client.accessPreview.explain({ ...target, documentId: id }, { spaceId }),
    );
  });
  const { data, problem } = documents;
  const items = data?.items ?? [];
  if (search === '' && problem === null && items.length === 0) return null;
  return (
    <section aria-labelledby="why">
      <h2 id="why">{t('Why?')}</h2>
      {(search !== '' || data?.next) && (
        <search>
          <form
            class="row"
            onSubmit={submits(() => {
              setSearch(typed.trim());
              void explain.run('');
            })}
          >
            <Field
              label={t('Name or metadata contains')}
              type="search"
              maxLength={200}
              value={typed}
              onValue={setTyped}
            />
            <button type="submit">{t('Filter')}</button>
          </form>
        </search>
      )}
      {problem !== null && <ProblemNote problem={problem} />}
      {problem === null && data === undefined && <LoadingNote />}
      {data !== undefined && items.length === 0 && <p role="status">{t('No document matches.')}</p>}
      {items.length > 0 && (
        <Select
          label={t('Document')}
          hint={data?.next ? t('The {count} newest documents', { count: 100 }) : undefined}
          options={[
            ['', t('Choose a document')],
            ...items.map(({ id, title }) => [id, title] as const),
          ]}
          value={documentId}
          onValue={(id) => void explain.run(id)}
        />
      )}
      {explain.problem && <ProblemNote problem={explain.problem} />}
      {explanation !== null && <Clauses explanation={explanation} />}
    </section>
  );
}

/** Names of the filters by the first part of the path of a clause. */
const sources = (): Readonly<Record<string, string>> => ({
  spaceFilter: t('Filter of the space'),
  permissionFilter: t('Permission filter of the link'),
  filter: t('Filter of the link'),
});

function Clauses({ explanation: { visible, clauses } }: { readonly explanation: Explanation }) {
  return (
    <div class="result" role="status">
      <p>
        <span class={`badge ${visible ? 'good' : 'bad'}`}>
          {visible ? t('visible') : t('hidden')}
        </span>{' '}
        {clauses.length === 0 && t('No filter applies, so every document is visible.')}
      </p>
      {clauses.length > 0 && (
        <Table
          caption={t('Conditions of the filters')}
          columns={[t('Origin'), t('Condition'), t('The document has'), t('Result')]}
        >
          {clauses.map(({ path, filter, holds, actual, truncated }) => (
            <tr key={path}>
              <td>{sources()[path.split('/')[1] ?? ''] ?? path}</td>
              <td>
                <code>{JSON.stringify(filter)}</code>
              </td>
              <td>
                {actual === undefined ? (
                  <span class="hint">{t('no such field')}</span>
                ) : (
                  <code>{JSON.stringify(actual)}</code>
                )}
                {truncated && <span class="hint"> {t('(shortened)')}</span>}
              </td>
              <td>
                <span class={`badge ${holds ? 'good' : 'bad'}`}>
                  {holds ? t('holds') : t('does not hold')}
                </span>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </div>
  );
}
