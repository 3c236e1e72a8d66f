import type { Crawl } from '@gatehouse/client';
import { useState } from 'preact/hooks';
import { client } from '../../app/client.ts';
import { useAction } from '../../app/loading.ts';
import { Field, Select, TextArea } from '../../components/field.tsx';
import { MetadataEditor } from '../../components/metadata/metadata-editor.tsx';
import { type MetadataRow, newRow, readRows } from '../../components/metadata/metadata-rows.ts';
import { ProblemNote } from '../../components/problem-note.tsx';
import { t } from '../../translations/translate.ts';
import '../../styles/forms.css';

export interface NewCrawlProps {
  readonly spaceId: string;
  readonly onCreated: (crawl: Crawl) => void;
}

interface Rule {
  readonly pattern: string;
  readonly rows: readonly MetadataRow[];
}

/** The form that creates a crawl. */
export function NewCrawl({ spaceId, onCreated }: NewCrawlProps) {
  const [name, setName] = useState('');
  const [kind, setKind] = useState('startUrl');
  const [url, setUrl] = useState('');
  const [include, setInclude] = useState('');
  const [exclude, setExclude] = useState('');
  const [everyHours, setHours] = useState('24');
  const [rows, setRows] = useState<readonly MetadataRow[]>([]);
  const [rules, setRules] = useState<readonly Rule[]>([]);
  const defaultMetadata = readRows(rows);
  const metadata = rules.map((rule) => ({ pattern: rule.pattern, read: readRows(rule.rows) }));
  const create = useAction(async () => {
    if (!defaultMetadata.ok) return;
    const crawl = {
      name,
      ...(kind === 'sitemapUrl' ? { sitemapUrl: url } : { startUrl: url }),
      include: linesOf(include),
      exclude: linesOf(exclude),
      metadata: metadata.map(({ pattern, read }) => ({
        pattern,
        metadata: read.ok ? read.metadata : {},
      })),
      defaultMetadata: defaultMetadata.metadata,
      everyHours: everyHours.trim() === '' ? null : Number(everyHours),
    };
    onCreated(await client.crawls.create(crawl, { spaceId }));
  });
  const changeRule = (index: number, rule: Rule) =>
    setRules(rules.map((other, at) => (at === index ? rule : other)));
  const patternHint = t('One pattern per line, such as {example}.', { example: '/help/*' });
  return (
    <section aria-labelledby="new-crawl">
      <h2 id="new-crawl">{t('New crawl')}</h2>
      <form
        class="alone"
        onSubmit={(event) => {
          event.preventDefault();
          void create.run();
        }}
      >
        <Field label={t('Name')} required maxLength={100} value={name} onValue={setName} />
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
          hint={t('Only pages of the same host are read.')}
          required
          maxLength={900}
          value={url}
          onValue={setUrl}
        />
        <TextArea
          label={t('Pages to read')}
          hint={`${patternHint} ${t('Empty: all pages.')}`}
          rows={2}
          value={include}
          onValue={setInclude}
        />
        <TextArea
          label={t('Pages to skip')}
          hint={patternHint}
          rows={2}
          value={exclude}
          onValue={setExclude}
        />
        <MetadataEditor
          spaceId={spaceId}
          label={t('Metadata of the pages')}
          hint={t(
            'Decides which links show the pages. Without metadata, links without a filter show them.',
          )}
          rows={rows}
          onRows={setRows}
        />
        {rules.map((rule, index) => (
          <fieldset key={index} class="metadata">
            <legend>{t('Other metadata for some pages')}</legend>
            <Field
              label={t('Pattern')}
              hint={t('The first pattern that matches decides.')}
              required
              maxLength={500}
              value={rule.pattern}
              onValue={(pattern) => changeRule(index, { ...rule, pattern })}
            />
            <MetadataEditor
              spaceId={spaceId}
              label={t('Metadata')}
              rows={rule.rows}
              onRows={(changed) => changeRule(index, { ...rule, rows: changed })}
            />
            <button
              type="button"
              class="small"
              onClick={() => setRules(rules.filter((_, at) => at !== index))}
            >
              {t('Remove')}
            </button>
          </fieldset>
        ))}
        <div>
          <button
            type="button"
            class="small"
            onClick={() => setRules([...rules, { pattern: '', rows: [newRow()] }])}
          >
            {t('Add a pattern')}
          </button>
        </div>
        <Field
          label={t('Hours between runs')}
          hint={t('Empty: only when started.')}
          value={everyHours}
          onValue={setHours}
        />
        {create.problem && <ProblemNote problem={create.problem} />}
        <button
          type="submit"
          class="main"
          disabled={
            create.isRunning || !defaultMetadata.ok || metadata.some(({ read }) => !read.ok)
          }
        >
          {t('Create')}
        </button>
      </form>
    </section>
  );
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
