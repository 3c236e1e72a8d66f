import type { Explanation } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { client } from '../../app/client.ts';
import { useAction, useLoaded } from '../../app/loading.ts';
import { Select } from '../../components/field.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import type { TargetProps } from './target.ts';

/** Explains for one document why the link shows or hides it. */
export function ExplainDocument({ spaceId, target }: TargetProps) {
  const documents = useLoaded(`documents ${spaceId}`, () =>
    client.documents.list({ limit: 100 }, { spaceId }),
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
  const items = documents.data?.items ?? [];
  if (documents.problem !== null) return <ProblemNote problem={documents.problem} />;
  if (items.length === 0) return null;
  return (
    <section aria-labelledby="why">
      <h2 id="why">Why?</h2>
      <Select
        label="Document"
        hint={documents.data?.next ? 'The 100 oldest documents' : undefined}
        options={[['', 'Choose a document'], ...items.map(({ id, title }) => [id, title] as const)]}
        value={documentId}
        onValue={(id) => void explain.run(id)}
      />
      {explain.problem && <ProblemNote problem={explain.problem} />}
      {explanation !== null && <Clauses explanation={explanation} />}
    </section>
  );
}

const SOURCES: Readonly<Record<string, string>> = {
  spaceFilter: 'Filter of the space',
  permissionFilter: 'Permission filter of the link',
  filter: 'Filter of the link',
};

function Clauses({ explanation: { visible, clauses } }: { readonly explanation: Explanation }) {
  return (
    <div class="result" role="status">
      <p>
        <span class={`badge ${visible ? 'good' : 'bad'}`}>{visible ? 'visible' : 'hidden'}</span>{' '}
        {clauses.length === 0 && 'No filter applies, so every document is visible.'}
      </p>
      {clauses.length > 0 && (
        <div class="scroll">
          <table>
            <caption class="visually-hidden">Conditions of the filters</caption>
            <thead>
              <tr>
                <th scope="col">From</th>
                <th scope="col">Condition</th>
                <th scope="col">The document has</th>
                <th scope="col">Result</th>
              </tr>
            </thead>
            <tbody>
              {clauses.map(({ path, filter, holds, actual, truncated }) => (
                <tr key={path}>
                  <td>{SOURCES[path.split('/')[1] ?? ''] ?? path}</td>
                  <td>
                    <code>{JSON.stringify(filter)}</code>
                  </td>
                  <td>
                    {actual === undefined ? (
                      <span class="hint">no such field</span>
                    ) : (
                      <code>{JSON.stringify(actual)}</code>
                    )}
                    {truncated && <span class="hint"> (shortened)</span>}
                  </td>
                  <td>
                    <span class={`badge ${holds ? 'good' : 'bad'}`}>
                      {holds ? 'holds' : 'does not hold'}
                    </span>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}
