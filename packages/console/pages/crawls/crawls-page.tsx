import { useLocation, useRoute } from 'preact-iso';
import { client } from '../../app/client.ts';
import { useNextPage } from '../../app/forms/next-page.ts';
import { useLoaded } from '../../app/loading.ts';
import { crawlPath, crawlsPath } from '../../app/paths.ts';
import { useRefresh } from '../../app/refresh.ts';
import { List } from '../../components/list.tsx';
import { Time } from '../../components/times/time.tsx';
import { t } from '../../translations/translate.ts';
import { CrawlState } from './crawl-state.tsx';
import { NewCrawl } from './new-crawl.tsx';

const REFRESH_MS = 3000;

/** The crawls of a space. */
export function CrawlsPage() {
  const { spaceId = '' } = useRoute().params;
  const { query } = useLocation();
  const openNext = useNextPage();
  const after = query['after'];
  const page = useLoaded(`crawls ${spaceId} ${after}`, () =>
    client.crawls.list(after === undefined ? {} : { after }, { spaceId }),
  );
  useRefresh(page.reload, REFRESH_MS);
  return (
    <>
      <h1>{t('Crawls')}</h1>
      <List
        caption={t('Crawls')}
        columns={[t('Name'), t('State'), t('Documents'), t('Next run')]}
        page={page}
        path={crawlsPath(spaceId)}
        query={{ after }}
        keyOf={({ id }) => id}
        row={(crawl) => (
          <>
            <td>
              <a href={crawlPath(spaceId, crawl.id)}>
                <bdi>{crawl.name}</bdi>
              </a>
              <div class="hint attribute">
                <bdi>{crawl.startUrl ?? crawl.sitemapUrl}</bdi>
              </div>
            </td>
            <td>
              <CrawlState crawl={crawl} />
            </td>
            <td>{crawl.documents}</td>
            <td>
              <Time at={crawl.nextRunAt} none={t('only when started')} />
            </td>
          </>
        )}
        empty={t(
          'A crawl reads the pages of a site and keeps their documents up to date. Create the first one below.',
        )}
      />
      <NewCrawl spaceId={spaceId} onCreated={({ id }) => openNext(crawlPath(spaceId, id))} />
    </>
  );
}
