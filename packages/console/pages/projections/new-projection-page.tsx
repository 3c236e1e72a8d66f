import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useNextPage } from '../../app/forms/next-page.ts';
import { projectionPath, projectionsPath } from '../../app/paths.ts';
import { t } from '../../translations/translate.ts';
import { newDraft } from './draft.ts';
import { ProjectionForm } from './projection-form.tsx';

/** The form that creates a projection. */
export function NewProjectionPage() {
  const { spaceId = '' } = useRoute().params;
  const openNext = useNextPage();
  const [initial] = useState(newDraft);
  return (
    <>
      <p>
        <a href={projectionsPath(spaceId)}>{t('Projections')}</a>
      </p>
      <h1>{t('New projection')}</h1>
      <ProjectionForm
        spaceId={spaceId}
        initial={initial}
        submit={t('Create')}
        save={async (definition) => {
          const { id } = await client.projections.create(definition, { spaceId });
          openNext(projectionPath(spaceId, id));
        }}
      />
    </>
  );
}
