import type { Crawl } from '@gatehouse/client';
import { t } from '../../translations/translate.ts';

/** The state of a crawl, or the outcome of its last run with the reason of a failure. */
export function CrawlState({ crawl }: { readonly crawl: Crawl }) {
  if (crawl.state === 'running') return <span class="badge warn">{t('running')}</span>;
  switch (crawl.run?.outcome) {
    case 'complete':
      return <span class="badge good">{t('complete')}</span>;
    case 'limited':
      return <span class="badge warn">{t('ended at a limit')}</span>;
    case 'stopped':
      return <span class="badge">{t('stopped')}</span>;
    case 'failed':
      return (
        <>
          <span class="badge bad">{t('failed')}</span>
          <p class="hint failure">{crawl.run.failure}</p>
        </>
      );
    default:
      return null;
  }
}
