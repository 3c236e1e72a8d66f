import type { VNode } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { LoadingNote } from '../components/loading-note.tsx';
import { PageProblem } from '../components/problem-note.tsx';
import { t } from '../translations/translate.ts';
import { client } from './client.ts';
import { connectionLost, reloads } from './connection.ts';

type Page = () => VNode;

/**
 * Returns a page whose module is loaded when the page is opened. Says that it is loading, and that the module cannot be loaded, for
 * example because an upgrade of the service has replaced it.
 */
export function lazyPage(load: () => Promise<Page>): Page & { preload: () => Promise<unknown> } {
  let loaded: Page | undefined;
  let loading: Promise<void> | undefined;
  const preload = () => {
    loading ??= load().then(
      (page) => {
        loaded = page;
      },
      (error: unknown) => {
        loading = undefined;
        throw error;
      },
    );
    return loading;
  };
  function LazyPage() {
    const [state, setState] = useState<'loading' | 'loaded' | 'failed'>('loading');
    useLayoutEffect(() => {
      if (loaded !== undefined) return;
      preload().then(
        () => setState('loaded'),
        () => client.service.health().then(() => setState('failed'), connectionLost),
      );
    }, [reloads.value]);
    const Loaded = loaded;
    if (Loaded !== undefined) return <Loaded />;
    return state === 'failed' ? <MissingPage /> : <LoadingNote />;
  }
  return Object.assign(LazyPage, { preload });
}

function MissingPage() {
  const text = t(
    'A file of this page could not be loaded. The service may have been upgraded. Try again to reload the console.',
  );
  return <PageProblem problem={{ text, details: [], retry: () => location.reload() }} />;
}
