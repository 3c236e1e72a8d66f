import type { Document } from '@gatehouse/client';
import { useEffect } from 'preact/hooks';
import { session } from '../../app/client.ts';
import { t } from '../../translations/translate.ts';

export const POLL_MS = 1500;

/** The state of a document. A failure is shown with its reason. */
export function DocumentState({ document }: { readonly document: Document }) {
  const { state, failure, passages } = document;
  if (state === 'processing') return <span class="badge warn">{t('being indexed')}</span>;
  if (state === 'ready') return <span class="badge good">{t('ready')}</span>;
  return (
    <>
      <span class="badge bad">{t('failed')}</span>
      {passages > 0 && <span class="badge warn">{t('previous version is used')}</span>}
      {failure !== null && <p class="hint failure">{failure}</p>}
    </>
  );
}

/** Calls `reload` regularly while `isActive` and while the page is visible and the session has not ended. */
export function usePolling(isActive: boolean, reload: () => void): void {
  useEffect(() => {
    if (!isActive) return;
    const timer = setInterval(() => {
      if (!document.hidden && session.peek() !== null) reload();
    }, POLL_MS);
    return () => clearInterval(timer);
  }, [isActive, reload]);
}
