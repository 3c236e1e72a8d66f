import type { Document, DocumentVersion } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { client } from '../../app/client.ts';
import { useLoaded } from '../../app/loading.ts';
import { Confirm } from '../../components/confirm.tsx';
import { DownloadLink } from '../../components/download-link.tsx';
import { Select } from '../../components/field.tsx';
import { MetadataSummary } from '../../components/metadata/metadata-summary.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { Time } from '../../components/times/time.tsx';
import { t } from '../../translations/translate.ts';
import { formatBytes } from './format.ts';

export interface VersionsProps {
  readonly document: Document;
  readonly onRestored: () => void;
}

/** The earlier versions of a document. Loaded again after each change of the document. */
export function Versions({ document, onRestored }: VersionsProps) {
  const { id, spaceId, updatedAt, state } = document;
  const [restored, setRestored] = useState<DocumentVersion | null>(null);
  const { data, problem } = useLoaded(`versions of ${id} ${updatedAt} ${state}`, () =>
    client.documents.listVersions(id, { spaceId }),
  );
  const earlier = data?.items.filter(({ isCurrent }) => !isCurrent) ?? [];
  return (
    <section aria-labelledby="versions">
      <h2 id="versions">{t('Earlier versions')}</h2>
      {problem !== null && <ProblemNote problem={problem} />}
      {data !== undefined && earlier.length === 0 && (
        <p class="hint">{t('There are no earlier versions. The last ten versions are kept.')}</p>
      )}
      {earlier.length > 0 && (
        <SimpleTable
          caption={t('Earlier versions')}
          columns={[t('Version'), t('File'), t('Metadata'), t('Changed'), t('Actions')]}
          rows={earlier.map((version) => [
            version.version,
            <>
              <bdi>{version.fileName}</bdi> <span class="hint">{formatBytes(version.bytes)}</span>
            </>,
            <MetadataSummary key="metadata" metadata={version.metadata} maxLength={400} />,
            <Time key="time" at={version.storedAt} />,
            <div key="actions" class="actions">
              <DownloadLink
                href={`/spaces/${spaceId}/documents/${id}/versions/${version.version}/content`}
                isSmall
              >
                {t('Download')} <span class="visually-hidden">{version.version}</span>
              </DownloadLink>
              <button type="button" class="small" onClick={() => setRestored(version)}>
                {t('Restore')} <span class="visually-hidden">{version.version}</span>
              </button>
            </div>,
          ])}
        />
      )}
      {restored !== null && (
        <Restore
          document={document}
          version={restored.version}
          onRestored={onRestored}
          onClose={() => setRestored(null)}
        />
      )}
    </section>
  );
}

interface RestoreProps extends VersionsProps {
  readonly version: number;
  readonly onClose: () => void;
}

function Restore({ document, version, onRestored, onClose }: RestoreProps) {
  const [properties, setProperties] = useState<'current' | 'version'>('current');
  return (
    <Confirm
      title={t('Restore version {version}?', { version })}
      action={t('Restore')}
      perform={async () => {
        const { id, spaceId } = document;
        await client.documents.restoreVersion(id, version, { properties }, { spaceId });
        onRestored();
      }}
      onClose={onClose}
    >
      <p>{t('The current content remains as an earlier version.')}</p>
      <Select
        label={t('File name, title and metadata')}
        hint={t('The metadata decides who sees the restored content.')}
        options={[
          ['current', t('Keep the current ones')],
          ['version', t('Restore those of the version')],
        ]}
        value={properties}
        onValue={(value) => setProperties(value === 'version' ? 'version' : 'current')}
      />
    </Confirm>
  );
}
