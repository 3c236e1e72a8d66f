import type { Crawl } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { client } from '../../app/client.ts';
import { useChanges } from '../../app/forms/changes.ts';
import { useAction } from '../../app/loading.ts';
import { Field } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { t } from '../../translations/translate.ts';
import { toCrawlDraft, toDefinition } from './crawl-draft.ts';
import { CrawlFields } from './crawl-fields.tsx';
import '../../styles/forms.css';

export interface ChangeCrawlProps {
  readonly crawl: Crawl;
  readonly onChanged: () => void;
}

/** The form that changes the definition of a crawl. Its address cannot be changed. */
export function ChangeCrawl({ crawl, onChanged }: ChangeCrawlProps) {
  const [draft, setDraft] = useState(() => toCrawlDraft(crawl));
  const definition = toDefinition(draft);
  const save = useAction(
    useChanges(definition ?? {}, async (changes) => {
      await client.crawls.update(crawl.id, changes, { spaceId: crawl.spaceId });
      onChanged();
    }),
  );
  return (
    <details class="card">
      <summary>{t('Change the definition')}</summary>
      <p class="hint">
        {t(
          'A run in progress starts again. Otherwise the change takes effect with the next run. The address cannot be changed.',
        )}
      </p>
      <Form
        class="alone"
        action={save}
        submit={t('Save')}
        isBlocked={definition === null}
        draft={draft}
        done={t('Saved')}
      >
        <Field
          label={t('Name')}
          member="name"
          required
          maxLength={100}
          value={draft.name}
          onValue={(name) => setDraft({ ...draft, name })}
        />
        <CrawlFields spaceId={crawl.spaceId} draft={draft} onDraft={setDraft} />
      </Form>
    </details>
  );
}
