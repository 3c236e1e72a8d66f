import { Field, TextArea } from '../../components/field.tsx';
import { MetadataEditor } from '../../components/metadata/metadata-editor.tsx';
import { newRow } from '../../components/metadata/metadata-rows.ts';
import { t } from '../../translations/translate.ts';
import type { CrawlDraft, Rule } from './crawl-draft.ts';

export interface CrawlFieldsProps {
  readonly spaceId: string;
  readonly draft: CrawlDraft;
  readonly onDraft: (draft: CrawlDraft) => void;
}

/** The fields of a crawl's definition after its name and address. */
export function CrawlFields({ spaceId, draft, onDraft }: CrawlFieldsProps) {
  const set = (change: Partial<CrawlDraft>) => onDraft({ ...draft, ...change });
  const changeRule = (index: number, rule: Rule) =>
    set({ rules: draft.rules.map((other, at) => (at === index ? rule : other)) });
  const patternHint = t('One pattern per line, such as {example}.', { example: '/help/*' });
  return (
    <>
      <TextArea
        label={t('Pages to read')}
        member="include"
        hint={`${patternHint} ${t('Empty: all pages.')}`}
        rows={2}
        value={draft.include}
        onValue={(include) => set({ include })}
      />
      <TextArea
        label={t('Pages to skip')}
        member="exclude"
        hint={patternHint}
        rows={2}
        value={draft.exclude}
        onValue={(exclude) => set({ exclude })}
      />
      <MetadataEditor
        spaceId={spaceId}
        label={t('Metadata of the pages')}
        member="defaultMetadata"
        hint={t(
          'Decides which links show the pages. Without metadata, links without a filter show them.',
        )}
        rows={draft.rows}
        onRows={(rows) => set({ rows })}
      />
      {draft.rules.map((rule, index) => (
        <fieldset key={index} class="metadata">
          <legend>{t('Other metadata for some pages')}</legend>
          <Field
            label={t('Pattern')}
            member={`metadata[${index}].pattern`}
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
            onRows={(rows) => changeRule(index, { ...rule, rows })}
          />
          <div>
            <button
              type="button"
              class="small"
              onClick={() => set({ rules: draft.rules.filter((_, at) => at !== index) })}
            >
              {t('Remove the pattern')}
            </button>
          </div>
        </fieldset>
      ))}
      <div>
        <button
          type="button"
          class="small"
          onClick={() => set({ rules: [...draft.rules, { pattern: '', rows: [newRow()] }] })}
        >
          {t('Add a pattern')}
        </button>
        <p class="hint">{t('A pattern gives other metadata to some pages.')}</p>
      </div>
      <Field
        label={t('Hours between runs')}
        member="everyHours"
        hint={t('Empty: only when started.')}
        inputMode="numeric"
        value={draft.everyHours}
        onValue={(everyHours) => set({ everyHours })}
      />
      <Limits draft={draft} set={set} />
    </>
  );
}

interface LimitsProps {
  readonly draft: CrawlDraft;
  readonly set: (change: Partial<CrawlDraft>) => void;
}

function Limits({ draft, set }: LimitsProps) {
  return (
    <details>
      <summary>{t('Limits of a run')}</summary>
      <div class="pairs">
        <Field
          label={t('Maximum number of pages')}
          member="maxPages"
          inputMode="numeric"
          placeholder="1000"
          value={draft.maxPages}
          onValue={(maxPages) => set({ maxPages })}
        />
        <Field
          label={t('Maximum number of clicks from the first page')}
          member="maxDepth"
          inputMode="numeric"
          placeholder="20"
          value={draft.maxDepth}
          onValue={(maxDepth) => set({ maxDepth })}
        />
        <Field
          label={t('Maximum size in MB')}
          member="maxBytes"
          inputMode="decimal"
          placeholder="1074"
          value={draft.maxMegabytes}
          onValue={(maxMegabytes) => set({ maxMegabytes })}
        />
        <Field
          label={t('Seconds between two requests')}
          member="delayMs"
          inputMode="decimal"
          placeholder="1"
          value={draft.delaySeconds}
          onValue={(delaySeconds) => set({ delaySeconds })}
        />
      </div>
    </details>
  );
}
