import type { Projection } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useNextPage } from '../../app/forms/next-page.ts';
import { useLoaded } from '../../app/loading.ts';
import { projectionsPath } from '../../app/paths.ts';
import { useRefresh } from '../../app/refresh.ts';
import { mayEdit } from '../../app/rights.ts';
import { Confirm } from '../../components/confirm.tsx';
import { LoadingNote } from '../../components/loading-note.tsx';
import { PageProblem } from '../../components/problem-note.tsx';
import { Time } from '../../components/times/time.tsx';
import { plural, rich, t } from '../../translations/translate.ts';
import { toDraft } from './draft.ts';
import { ProjectionForm } from './projection-form.tsx';
import { ProjectionState } from './projection-state.tsx';
import { Records } from './records.tsx';
import './projections.css';

const REFRESH_MS = 2_000;

/** One projection: its progress, its definition, its actions and its records. */
export function ProjectionPage() {
  const { spaceId = '', projectionId = '' } = useRoute().params;
  const { data, problem, reload } = useLoaded(projectionId, () =>
    client.projections.get(projectionId, { spaceId }),
  );
  useRefresh(reload, REFRESH_MS);
  return (
    <>
      <p>
        <a href={projectionsPath(spaceId)}>{t('Projections')}</a>
      </p>
      {problem !== null && <PageProblem problem={problem} />}
      {data === undefined && problem === null && <LoadingNote />}
      {data !== undefined && (
        <>
          <div class="title">
            <h1>
              <bdi>{data.name}</bdi>
            </h1>
            {mayEdit.value && <Actions projection={data} onChanged={reload} />}
          </div>
          <Definition projection={data} />
          {mayEdit.value && <Change projection={data} onChanged={reload} />}
          <Records projection={data} />
        </>
      )}
    </>
  );
}

interface ChangeProps {
  readonly projection: Projection;
  readonly onChanged: () => void;
}

function Actions({ projection, onChanged }: ChangeProps) {
  const { id, spaceId, name, state, records } = projection;
  const openNext = useNextPage();
  const [asked, setAsked] = useState<'rebuild' | 'delete' | null>(null);
  const close = () => setAsked(null);
  return (
    <>
      <button
        type="button"
        aria-disabled={state !== 'live'}
        onClick={() => state === 'live' && setAsked('rebuild')}
      >
        {t('Rebuild')}
      </button>
      <button type="button" class="danger" onClick={() => setAsked('delete')}>
        {t('Delete')}
      </button>
      {asked === 'rebuild' && (
        <Confirm
          title={t('Rebuild the records?')}
          action={t('Rebuild')}
          perform={async () => {
            await client.projections.rebuild(id, { spaceId });
            onChanged();
          }}
          onClose={close}
        >
          {t(
            'All stored events are read again. The records stay searchable until they are replaced. Values from events that retention has removed are lost.',
          )}
        </Confirm>
      )}
      {asked === 'delete' && (
        <Confirm
          title={t('Delete the projection {name}?', { name })}
          action={t('Delete')}
          perform={async () => {
            await client.projections.delete(id, { spaceId });
            openNext(projectionsPath(spaceId));
          }}
          onClose={close}
        >
          <p>
            {plural(
              records,
              'The assistant no longer finds {count} record.',
              'The assistant no longer finds {count} records.',
            )}{' '}
            {t('The events remain stored. This cannot be undone.')}
          </p>
        </Confirm>
      )}
    </>
  );
}

function Definition({ projection }: { readonly projection: Projection }) {
  const { types, sources, deletedBy, key, title, text, records, updatedAt } = projection;
  return (
    <dl>
      <dt>{t('State')}</dt>
      <dd>
        <ProjectionState projection={projection} />
      </dd>
      <dt>{t('Records')}</dt>
      <dd>{plural(records, '{count} record', '{count} records')}</dd>
      <dt>{t('Events')}</dt>
      <dd>
        <div>{rich('types: {list}', { list: <bdi>{types.join(', ')}</bdi> })}</div>
        {sources !== null && (
          <div>{rich('sources: {list}', { list: <bdi>{sources.join(', ')}</bdi> })}</div>
        )}
        {deletedBy.length > 0 && (
          <div>{rich('deleted by: {list}', { list: <bdi>{deletedBy.join(', ')}</bdi> })}</div>
        )}
      </dd>
      <dt>{t('Key')}</dt>
      <dd>
        <code>{key}</code>
      </dd>
      <dt>{t('Title')}</dt>
      <dd>
        <bdi>{title}</bdi>
      </dd>
      <dt>{t('Text')}</dt>
      <dd>
        <bdi>{text}</bdi>
      </dd>
      <dt>{t('Changed')}</dt>
      <dd>
        <Time at={updatedAt} />
      </dd>
    </dl>
  );
}

/** The form that changes the definition. */
function Change({ projection, onChanged }: ChangeProps) {
  const { id, spaceId } = projection;
  const [isOpen, setOpen] = useState(false);
  // The form stays while it is closed, and while somebody else changes the projection.
  const [hasForm, setHasForm] = useState(false);
  return (
    <details
      class="card"
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => {
        setOpen(open);
        if (open) setHasForm(true);
      }}
    >
      <summary>{t('Change the definition')}</summary>
      {hasForm && (
        <ProjectionForm
          spaceId={spaceId}
          initial={toDraft(projection)}
          submit={t('Save')}
          save={async (definition) => {
            await client.projections.update(id, definition, { spaceId });
            setOpen(false);
            setHasForm(false);
            onChanged();
          }}
          effect={
            <p class="warning">
              {t(
                'A change removes all records and derives them from the stored events again. Until then, the assistant does not find them.',
              )}
            </p>
          }
        />
      )}
    </details>
  );
}
