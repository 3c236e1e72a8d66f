import { useLocation, useRoute } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useLoaded } from '../../app/loading.ts';
import { newProjectionPath, projectionPath, projectionsPath } from '../../app/paths.ts';
import { useRefresh } from '../../app/refresh.ts';
import { mayEdit } from '../../app/rights.ts';
import { List } from '../../components/list.tsx';
import { Time } from '../../components/times/time.tsx';
import { formatNumber, t } from '../../translations/translate.ts';
import { ProjectionState } from './projection-state.tsx';
import './projections.css';

const REFRESH_MS = 5_000;

/** The projections of a space with their progress. */
export function ProjectionsPage() {
  const { spaceId = '' } = useRoute().params;
  const { after } = useLocation().query;
  const page = useLoaded(`projections ${spaceId} ${after}`, () =>
    client.projections.list(after === undefined ? {} : { after }, { spaceId }),
  );
  useRefresh(page.reload, REFRESH_MS);
  return (
    <>
      <div class="title">
        <h1>{t('Projections')}</h1>
        {mayEdit.value && (
          <a class="button main" href={newProjectionPath(spaceId)}>
            {t('New projection')}
          </a>
        )}
      </div>
      <List
        caption={t('Projections')}
        columns={[t('Name'), t('Types of events'), t('State'), t('Records'), t('Changed')]}
        page={page}
        path={projectionsPath(spaceId)}
        query={{ after }}
        keyOf={({ id }) => id}
        row={(projection) => (
          <>
            <td>
              <a href={projectionPath(spaceId, projection.id)}>
                <bdi>{projection.name}</bdi>
              </a>
            </td>
            <td class="attribute">
              <bdi>{projection.types.join(', ')}</bdi>
            </td>
            <td>
              <ProjectionState projection={projection} />
            </td>
            <td>{formatNumber(projection.records)}</td>
            <td>
              <Time at={projection.updatedAt} />
            </td>
          </>
        )}
        empty={
          <p>
            {t(
              'A projection turns events into records, such as the state of an order. The assistant answers from records as it answers from documents, under the same filters.',
            )}{' '}
            {mayEdit.value && <a href={newProjectionPath(spaceId)}>{t('Create a projection')}</a>}
          </p>
        }
      />
    </>
  );
}
