import type { Crawl } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { client } from '../../app/client.ts';
import { useAction } from '../../app/loading.ts';
import { Field, Select } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { t } from '../../translations/translate.ts';
import { toCrawlDraft, toDefinition } from './crawl-draft.ts';
import { CrawlFields } from './crawl-fields.tsx';
import '../../styles/forms.css';

const EXAMPLE_URL = 'https://shop.example/help/';

export interface NewCrawlProps {
  readonly spaceId: string;
  readonly onCreated: (crawl: Crawl) => void;
}

/** The form that creates a crawl. */
export function NewCrawl({ spaceId, onCreated }: NewCrawlProps) {
  const [kind, setKind] = useState('startUrl');
  const [url, setUrl] = useState('');
  const [draft, setDraft] = useState(() => toCrawlDraft());
  const definition = toDefinition(draft);
  const create = useAction(async () => {
    if (definition === null) return;
    const address = kind === 'sitemapUrl' ? { sitemapUrl: url } : { startUrl: url };
    onCreated(await client.crawls.create({ ...definition, ...address }, { spaceId }));
  });
  return (
    <section aria-labelledby="new-crawl">
      <h2 id="new-crawl">{t('New crawl')}</h2>
      <Form
        class="alone"
        draft={{ kind, url, draft }}
        action={create}
        submit={t('Create')}
        isBlocked={definition === null}
      >
        <Field
          label={t('Name')}
          member="name"
          required
          maxLength={100}
          value={draft.name}
          onValue={(name) => setDraft({ ...draft, name })}
        />
        <Select
          label={t('Read')}
          options={[
            ['startUrl', t('a page and the pages that it links to')],
            ['sitemapUrl', t('the pages of a sitemap')],
          ]}
          value={kind}
          onValue={setKind}
        />
        <Field
          label={t('Address')}
          member={kind}
          hint={t('Only pages of the same host are read.')}
          required
          maxLength={900}
          placeholder={EXAMPLE_URL}
          value={url}
          onValue={setUrl}
        />
        <CrawlFields spaceId={spaceId} draft={draft} onDraft={setDraft} />
      </Form>
    </section>
  );
}
