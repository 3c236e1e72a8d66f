import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useNextPage } from '../../app/forms/next-page.ts';
import { useAction, useLoaded } from '../../app/loading.ts';
import { crawlPath, crawlsPath } from '../../app/paths.ts';
import { useRefresh } from '../../app/refresh.ts';
import { Confirm } from '../../components/confirm.tsx';
import { List } from '../../components/list.tsx';
import { LoadingNote } from '../../components/loading-note.tsx';
import { PageProblem, ProblemNote } from '../../components/problem-note.tsx';
import { Time } from '../../components/times/time.tsx';
import { t } from '../../translations/translate.ts';
import { ChangeCrawl } from './change-crawl.tsx';
import { CrawlState } from './crawl-state.tsx';

const REFRESH_MS = 2000;

/** One crawl: its progress, and the pages that could not be read. */
export function CrawlPage() {
  const { spaceId = '', crawlId = '' } = useRoute().params;
  const { query } = useLocation();
  const openNext = useNextPage();
  const [isDeleting, setDeleting] = useState(false);
  const {
    data: crawl,
    problem,
    reload,
  } = useLoaded(crawlId, () => client.crawls.get(crawlId, { spaceId }));
  const after = query['after'];
  const failed = useLoaded(`failed pages ${crawlId} ${after} ${crawl?.pages.failed}`, () =>
    client.crawls.listPages(
      crawlId,
      { result: 'failed', ...(after === undefined ? {} : { after }) },
      { spaceId },
    ),
  );
  useRefresh(reload, REFRESH_MS);
  const change = useAction(async (action: 'start' | 'stop') => {
    await client.crawls[action](crawlId, { spaceId });
    reload();
  });
  if (problem !== null) return <PageProblem problem={problem} />;
  if (crawl === undefined) return <LoadingNote />;
  const isRunning = crawl.state === 'running';
  return (
    <>
      <p>
        <a href={crawlsPath(spaceId)}>{t('Crawls')}</a>
      </p>
      <div class="title">
        <h1>
          <bdi>{crawl.name}</bdi>
        </h1>
        <button
          type="button"
          aria-disabled={change.isRunning}
          onClick={() => void change.run(isRunning ? 'stop' : 'start')}
        >
          {isRunning ? t('Stop') : t('Start')}
        </button>
        <button type="button" class="danger" onClick={() => setDeleting(true)}>
          {t('Delete')}
        </button>
      </div>
      {change.problem && <ProblemNote problem={change.problem} />}
      {isDeleting && (
        <Confirm
          title={t('Delete this crawl?')}
          action={t('Delete')}
          perform={async () => {
            await client.crawls.delete(crawlId, { spaceId });
            openNext(crawlsPath(spaceId));
          }}
          onClose={() => setDeleting(false)}
        >
          {t('Its documents are removed too. This cannot be undone.')}
        </Confirm>
      )}
      <Progress crawl={crawl} />
      <ChangeCrawl crawl={crawl} onChanged={reload} />
      <h2>{t('Pages that failed')}</h2>
      <List
        caption={t('Pages that failed')}
        columns={[t('Address'), t('Reason')]}
        page={failed}
        path={crawlPath(spaceId, crawlId)}
        query={{ after }}
        keyOf={({ url }) => url}
        row={({ url, reason }) => (
          <>
            <td class="attribute">
              <a href={url} rel="noreferrer" target="_blank">
                <bdi>{url}</bdi>
              </a>
            </td>
            <td>{reason}</td>
          </>
        )}
        empty={<p class="hint">{t('No page failed.')}</p>}
      />
    </>
  );
}

type Shown = Awaited<ReturnType<typeof client.crawls.get>>;

function Progress({ crawl }: { readonly crawl: Shown }) {
  const { pages, run } = crawl;
  const counts = [
    [t('queued'), pages.queued],
    [t('new or changed'), pages.sent],
    [t('unchanged'), pages.unchanged],
    [t('other address'), pages.alias],
    [t('excluded'), pages.excluded],
    [t('not found'), pages.gone],
    [t('failed'), pages.failed],
    [t('removed'), run?.removed ?? 0],
  ] as const;
  return (
    <dl>
      <dt>{t('State')}</dt>
      <dd>
        <CrawlState crawl={crawl} />
      </dd>
      <dt>{t('Address')}</dt>
      <dd>
        <bdi>{crawl.startUrl ?? crawl.sitemapUrl}</bdi>
      </dd>
      <dt>{t('Documents')}</dt>
      <dd>{crawl.documents}</dd>
      <dt>{t('Pages')}</dt>
      <dd>
        {counts
          .filter(([, count]) => count > 0)
          .map(([name, count]) => `${name}: ${count}`)
          .join(', ') || '–'}
      </dd>
      <dt>{t('Last run')}</dt>
      <dd>
        <Time at={run?.startedAt ?? null} />
      </dd>
      <dt>{t('Next run')}</dt>
      <dd>
        <Time at={crawl.nextRunAt} none={t('only when started')} />
      </dd>
    </dl>
  );
}
