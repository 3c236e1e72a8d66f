import { ApiError, type InstallationStatus } from '@gatehouse/client';
import { client } from '../../app/client.ts';
import { useLoaded } from '../../app/loading.ts';
import { useNoSpace } from '../../app/space.ts';
import { LoadingNote } from '../../components/loading-note.tsx';
import { PageProblem, ProblemNote } from '../../components/problem-note.tsx';
import { Table } from '../../components/table.tsx';
import { Time } from '../../components/times/time.tsx';
import { languageTag, t } from '../../translations/translate.ts';

/** The state of the installation, for administrators. */
export function InstallationPage() {
  useNoSpace();
  const health = useLoaded('health', isReady);
  const { data, problem, reload } = useLoaded('installation', () => client.service.installation());
  if (problem !== null) return <PageProblem problem={problem} />;
  if (data === undefined) return <LoadingNote />;
  const { version, store, disk, lastBackup } = data;
  return (
    <>
      <div class="title">
        <h1>{t('Installation')}</h1>
        <button
          type="button"
          onClick={() => {
            reload();
            health.reload();
          }}
        >
          {t('Check again')}
        </button>
      </div>
      <dl>
        <dt>{t('State')}</dt>
        <dd>
          {health.problem && <ProblemNote problem={health.problem} />}
          {health.data !== undefined && (
            <span class={`badge ${health.data ? 'good' : 'bad'}`}>
              {health.data ? t('serves requests') : t('not ready')}
            </span>
          )}
        </dd>
        <dt>{t('Version')}</dt>
        <dd>{version}</dd>
        <dt>{t('Store')}</dt>
        <dd>
          {store.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'} {store.version} ·{' '}
          {bytesText(store.bytes)}
        </dd>
        {disk !== null && (
          <>
            <dt>{t('Disk')}</dt>
            <dd>
              {t('{free} of {total} free', {
                free: bytesText(disk.freeBytes),
                total: bytesText(disk.totalBytes),
              })}{' '}
              · <code>{disk.directory}</code>
            </dd>
          </>
        )}
        <dt>{t('Last backup')}</dt>
        <dd>
          {lastBackup === null ? (
            t('none recorded')
          ) : (
            <>
              <Time at={lastBackup.finishedAt} /> · {bytesText(lastBackup.bytes)} ·{' '}
              <code>{lastBackup.directory}</code>
            </>
          )}
        </dd>
      </dl>
      <Replicas status={data} />
      <Settings status={data} />
    </>
  );
}

async function isReady(): Promise<boolean> {
  try {
    await client.service.readiness();
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 503) return false;
    throw error;
  }
}

interface StatusProps {
  readonly status: InstallationStatus;
}

function Replicas({ status: { replicas } }: StatusProps) {
  return (
    <section aria-labelledby="replicas">
      <h2 id="replicas">{t('Replicas')}</h2>
      <Table
        caption={t('Replicas')}
        columns={[t('Host'), t('Version'), t('Started'), t('Background jobs')]}
      >
        {replicas.map(({ id, host, version, startedAt, jobs, isSelf }) => (
          <tr key={id}>
            <td>
              <bdi>{host}</bdi> {isSelf && <span class="badge">{t('answered')}</span>}
            </td>
            <td>{version}</td>
            <td>
              <Time at={startedAt} />
            </td>
            <td>{jobs.join(', ')}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function Settings({ status: { settings } }: StatusProps) {
  return (
    <section aria-labelledby="settings">
      <h2 id="settings">{t('Settings')}</h2>
      <Table caption={t('Settings')} columns={[t('Name'), t('Value')]}>
        {settings
          .toSorted((a, b) => Number(b.isSet) - Number(a.isSet))
          .map(({ name, value, isSet, isSecret }) => (
            <tr key={name}>
              <td>
                <code>{name}</code> {isSet && <span class="badge good">{t('set')}</span>}
              </td>
              <td>
                {isSecret && isSet ? (
                  <span class="hint">{t('secret')}</span>
                ) : (
                  <code>{value ?? '–'}</code>
                )}
              </td>
            </tr>
          ))}
      </Table>
    </section>
  );
}

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Formats a size with a decimal unit and at most three digits. */
function bytesText(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1);
  return new Intl.NumberFormat(languageTag(), {
    style: 'unit',
    unit: UNITS[power] ?? 'byte',
    unitDisplay: 'short',
    maximumSignificantDigits: 3,
  }).format(bytes / 1000 ** power);
}
