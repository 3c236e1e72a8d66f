import type { Space } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { client } from '../../app/client.ts';
import { useChanges } from '../../app/forms/changes.ts';
import { useEdits } from '../../app/forms/edits.ts';
import { submits } from '../../app/forms/submits.ts';
import { refreshSpace } from '../../app/space.ts';
import { Code } from '../../components/code.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { FilterEditor, readFilter } from '../../components/filter-editor.tsx';
import { t } from '../../translations/translate.ts';

export interface SpaceFilterProps {
  readonly space: Space;
  /** Only owners may change the filter. */
  readonly isOwner: boolean;
}

/** The filter that limits every link of the space. */
export function SpaceFilter({ space, isOwner }: SpaceFilterProps) {
  const stored =
    space.permissionFilter === null ? '' : JSON.stringify(space.permissionFilter, null, 2);
  const [text, setText] = useState(stored);
  const [isRequired, setRequired] = useState(space.requireLinkFilter);
  const [isAsking, setAsking] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const read = readFilter(text);
  const draft = {
    ...(read.ok ? { permissionFilter: read.filter ?? null } : {}),
    requireLinkFilter: isRequired,
  };
  const save = useChanges(draft, async (changes) => {
    await client.spaces.update(space.id, changes);
    await refreshSpace(space.id);
  });
  const { isEdited } = useEdits({ text, isRequired }, isSaved);
  return (
    <section aria-labelledby="filter">
      <h2 id="filter">{t('Filter of the space')}</h2>
      <p class="hint">
        {t(
          'A document that does not match this filter is hidden from every link, including existing links. A change takes effect immediately.',
        )}
      </p>
      {isOwner ? (
        <form onSubmit={submits(() => setAsking(true))}>
          <FilterEditor
            spaceId={space.id}
            label={t('Permission filter')}
            text={text}
            onText={setText}
          />
          <label class="check">
            <input
              type="checkbox"
              checked={isRequired}
              onChange={({ currentTarget }) => setRequired(currentTarget.checked)}
            />
            {t('Every new link needs a permission filter of its own')}
          </label>
          <div class="actions">
            <button type="submit" class="main" disabled={!read.ok}>
              {t('Save the filter')}
            </button>
            <span class="hint" role="status">
              {isSaved && !isEdited && t('Saved')}
            </span>
          </div>
        </form>
      ) : (
        <Code name={t('Filter of the space')} text={stored === '' ? t('No filter') : stored} />
      )}
      {isAsking && read.ok && (
        <Confirm
          title={t('Change the filter of the space?')}
          action={t('Save the filter')}
          perform={async () => {
            setSaved(false);
            await save();
            setSaved(true);
          }}
          onClose={() => setAsking(false)}
        >
          {read.filter === undefined ? (
            <p class="warning">
              {t('Without a filter, a link that has no filter either shows every document.')}
            </p>
          ) : (
            <p>
              {t(
                'Links lose access to hidden documents on their next request. Running answers end, and stored answers that used a hidden document are hidden.',
              )}
            </p>
          )}
          {isRequired && (
            <p>
              {t('Requests that create a link without a filter fail. Existing links stay valid.')}
            </p>
          )}
        </Confirm>
      )}
    </section>
  );
}
