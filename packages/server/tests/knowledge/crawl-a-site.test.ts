import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DOCUMENT_DELETED } from '@gatehouse/contract';
import type { FeedItem } from '../support/events/events.ts';
import { ALLOW_RECEIVERS } from '../support/events/receiver.ts';
import { clientOf } from '../support/http/client.ts';
import { crawlsOf } from '../support/knowledge/crawls.ts';
import { documentEvents, sendDocumentEvents } from '../support/knowledge/document-events.ts';
import { pageOf, startSite } from '../support/knowledge/site.ts';
import { exchangeLink, makeLink, makeSpace, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';
import { startInProcess } from '../support/services/in-process-service.ts';
import { temporaryDirectory } from '../support/services/service.ts';
import { until } from '../support/until.ts';

const { client } = await serviceOfThisFile({ env: ALLOW_RECEIVERS });
const session = await signIn(client);

async function newSpace() {
  const { id: spaceId } = await makeSpace(client, session);
  return { spaceId, crawls: crawlsOf(client, session, spaceId) };
}

test('a crawl sends the pages of a host with metadata by URL, then only changes, and removes vanished pages', async () => {
  await using site = await startSite({
    '/robots.txt': 'User-agent: *\nDisallow: /private/',
    '/': pageOf('Start', '/staff/rota', 'about#team', '/private/x', 'https://other.example/'),
    '/staff/rota': pageOf('The rota of the staff', '/old', '/%61bout', '/broken'),
    '/about': pageOf('About us', '/copy'),
    '/copy': `<link rel="canonical" href="/about">${pageOf('About us')}`,
    '/old': { status: 301, headers: { location: '/new' } },
    '/new': pageOf('The new page'),
    '/broken': { status: 403 },
    '/secret': '<meta name="robots" content="noindex">',
  });
  const { spaceId, crawls } = await newSpace();
  const { id } = await crawls.create({
    startUrl: `${site.url}/#top`,
    metadata: [{ pattern: '/staff/*', metadata: { audience: 'staff' } }],
    defaultMetadata: { audience: 'everyone' },
  });
  const first = await crawls.untilEnded(id);
  assert.deepEqual(
    [first.run?.outcome, first.pages, first.documents],
    [
      'complete',
      { queued: 0, sent: 4, unchanged: 0, alias: 2, excluded: 1, gone: 0, failed: 1 },
      4,
    ],
  );
  const urls = ['/', '/staff/rota', '/about', '/new'].map((path) => `${site.url}${path}`);
  const documents = await crawls.untilDocuments(urls);
  assert.deepEqual(
    documents
      .map(({ url, title, metadata }) => [url.slice(site.url.length), title, metadata])
      .sort(),
    [
      ['/', 'Start', { audience: 'everyone' }],
      ['/about', 'About us', { audience: 'everyone' }],
      ['/new', 'The new page', { audience: 'everyone' }],
      ['/staff/rota', 'The rota of the staff', { audience: 'staff' }],
    ],
  );
  assert.deepEqual(
    (await crawls.pages(id, '&result=failed')).map(({ url, reason, status }) => [
      url,
      reason,
      status,
    ]),
    [[`${site.url}/broken`, 'the site answered with status 403', 403]],
  );
  const requested = site.requests.map(({ path }) => path);
  assert.ok(!requested.includes('/private/x'), 'robots.txt is respected');
  assert.equal(new Set(requested).size, requested.length, 'no page is requested twice');
  assert.match(site.requests[0]?.agent ?? '', /^gatehouse-crawler\//);

  const link = { spaceId, permissionFilter: { audience: { eq: 'everyone' } } };
  const visitor = await exchangeLink(client, (await makeLink(client, session, link)).token);
  const search = await client(`/spaces/${spaceId}/search`, {
    as: visitor,
    body: { query: 'rota' },
  });
  assert.deepEqual(search.json['items'], []);

  site.requests.length = 0;
  const second = await crawls.run(id);
  assert.deepEqual([second.pages.sent, second.pages.unchanged], [0, 4]);
  assert.equal(site.requests.filter(({ status }) => status === 304).length, 4);
  assert.deepEqual(await crawls.untilDocuments(urls), documents);

  site.pages.set('/about', { html: pageOf('About us today') });
  site.pages.set('/staff/rota', { html: pageOf('The rota of the staff', '/about') });
  const third = await crawls.run(id);
  assert.deepEqual([third.pages.sent, third.run?.removed, third.documents], [2, 1, 3]);
  const left = urls.filter((url) => !url.endsWith('/new'));
  const titles = (await crawls.untilDocuments(left)).map(({ title }) => title);
  assert.ok(titles.includes('About us today'));

  await crawls.change(id, { metadata: [] });
  const fourth = await crawls.run(id);
  assert.deepEqual([fourth.pages.sent, fourth.pages.unchanged], [1, 2], 'metadata is sent again');
  const answer = await client(`${crawls.path}/${id}`, { method: 'DELETE', as: session });
  assert.equal(answer.status, 204);
  assert.equal((await client(`${crawls.path}/${id}`, { as: session })).status, 404);
  await crawls.untilDocuments([]);
});

test('a page is excluded if a server could read its path as that of a page with other metadata', async () => {
  const ambiguous = [
    '/public/..%2Fstaff/rota',
    '/public/..%5Cstaff/rota',
    '/public/..;/staff/rota',
    // Servers that decode `;` before they ignore parameters, or that decode twice.
    '/public/..%3B/staff/rota',
    '/public/%252E%252e%252fstaff/rota',
    '/public%253Bv=1/rota',
    // Servers that ignore parameters before they decode slashes.
    '/public/..;%2Fpublic/staff/rota',
    // Servers that decode `%5C`, but do not treat it as a slash.
    '/public/a%5Cb%2F..%2F..%2Fstaff/rota',
    '/public;v=1/rota',
    '//staff/rota',
  ];
  const clear = ['/public/a%2Fb', '/public/a//b;c'];
  await using site = await startSite({
    '/': pageOf('Start', ...ambiguous.map((path) => path.replace('//', '/.//')), ...clear),
    ...Object.fromEntries([...ambiguous, ...clear].map((path) => [path, pageOf('The rota')])),
  });
  const { crawls } = await newSpace();
  const { id } = await crawls.create({
    startUrl: `${site.url}/`,
    metadata: [
      { pattern: '/public/*', metadata: { audience: 'everyone' } },
      { pattern: '/staff/*', metadata: { audience: 'staff' } },
    ],
  });
  await crawls.untilEnded(id);
  await crawls.untilDocuments(['/', ...clear].map((path) => `${site.url}${path}`));
});

test('a deleted crawl removes documents of other senders with its subjects, which can be sent again', async () => {
  await using site = await startSite({ '/': pageOf('Start') });
  const { spaceId, crawls } = await newSpace();
  const { id } = await crawls.create({ startUrl: `${site.url}/` });
  await crawls.untilEnded(id);
  const url = 'https://intranet.example/';
  const data = { fileName: 'notes.txt', text: 'The notes of the team.', url };
  const change = { subject: `crawl/${id}/notes`, data };
  await sendDocumentEvents(client, session, spaceId, [change]);
  await crawls.untilDocuments([`${site.url}/`, url]);
  await client(`${crawls.path}/${id}`, { method: 'DELETE', as: session });
  await crawls.untilDocuments([]);
  await until('the document is removed, not only hidden', async () => {
    const events = await documentEvents(client, session, spaceId);
    const newest = events.find(({ subject }) => subject === change.subject);
    return newest?.type === DOCUMENT_DELETED;
  });
  // The crawler removes the crawl at its next look, half a second later.
  await sleep(1500);
  await sendDocumentEvents(client, session, spaceId, [change]);
  await crawls.untilDocuments([url]);
});

test('X-Robots-Tag keeps pages out of the documents and links from being followed', async () => {
  const robots = (tag: string, html: string) => ({ html, headers: { 'x-robots-tag': tag } });
  await using site = await startSite({
    '/': pageOf('Start', '/nofollow', '/noindex', '/none', '/other'),
    '/nofollow': robots('nofollow', pageOf('No links', '/one')),
    '/noindex': robots('noindex', pageOf('No document', '/two')),
    '/none': robots('none', pageOf('Neither', '/three')),
    '/other': robots('otherbot: none', pageOf('For another robot', '/four')),
    '/one': pageOf('One'),
    '/two': pageOf('Two'),
    '/three': pageOf('Three'),
    '/four': pageOf('Four'),
  });
  const { crawls } = await newSpace();
  const { id } = await crawls.create({ startUrl: `${site.url}/`, defaultMetadata: {} });
  await crawls.untilEnded(id);
  const documents = await crawls.untilDocuments(
    ['/', '/nofollow', '/other', '/two', '/four'].map((path) => `${site.url}${path}`),
  );
  assert.equal(documents.length, 5);
  const requested = site.requests.map(({ path }) => path);
  assert.ok(!requested.includes('/one') && !requested.includes('/three'), requested.join(' '));
});

test('a site that fails removes nothing, and a page that was not found is removed', async () => {
  await using site = await startSite({
    '/': pageOf('Start', '/a', '/b'),
    '/a': pageOf('A', '/c'),
    '/b': pageOf('B'),
    '/c': pageOf('C'),
  });
  const { crawls } = await newSpace();
  const { id } = await crawls.create({ startUrl: site.url });
  await crawls.untilEnded(id);
  const urls = ['/', '/a', '/b', '/c'].map((path) => `${site.url}${path}`);
  await crawls.untilDocuments(urls);

  site.outage = 503;
  const during = await crawls.run(id);
  assert.deepEqual(
    [during.run?.outcome, during.run?.failure, during.run?.removed, during.documents],
    ['failed', 'robots.txt: the site answered with status 503', 0, 4],
  );
  site.outage = null;
  site.pages.delete('/b');
  site.pages.set('/a', { status: 500 });
  const after = await crawls.run(id);
  assert.deepEqual(
    [after.run?.outcome, after.pages.gone, after.pages.failed, after.run?.removed],
    ['complete', 1, 1, 1],
  );
  await crawls.untilDocuments(urls.filter((url) => !url.endsWith('/b')));
  site.pages.delete('/');
  const gone = await crawls.run(id);
  assert.deepEqual([gone.run?.outcome, gone.documents], ['failed', 3]);
});

test('a page that cannot be read after its metadata changed is no longer found', async () => {
  await using site = await startSite({
    '/': pageOf('Start', '/staff/pay', '/help'),
    '/staff/pay': pageOf('Pay'),
    '/help': pageOf('Help'),
  });
  const { crawls } = await newSpace();
  const { id } = await crawls.create({ startUrl: site.url, defaultMetadata: { audience: 'all' } });
  await crawls.untilEnded(id);
  await crawls.untilDocuments(['/', '/help', '/staff/pay'].map((path) => `${site.url}${path}`));
  const metadata = [{ pattern: '/staff/*', metadata: { audience: 'staff' } }];
  const changed = await client(`${crawls.path}/${id}`, {
    method: 'PATCH',
    as: session,
    body: { metadata },
  });
  assert.equal(changed.status, 200, changed.text);
  site.pages.set('/staff/pay', { status: 403 });
  site.pages.set('/help', { status: 403 });
  const { run, pages } = await crawls.run(id);
  assert.deepEqual([run?.outcome, run?.removed, pages.failed], ['complete', 1, 2]);
  await crawls.untilDocuments(['/', '/help'].map((path) => `${site.url}${path}`));
  site.pages.set('/staff/pay', { html: pageOf('Pay') });
  await crawls.run(id);
  await crawls.untilDocuments(['/', '/help', '/staff/pay'].map((path) => `${site.url}${path}`));
});

test('a page whose metadata is changed while the page is fetched is not sent with the earlier metadata', async () => {
  await using site = await startSite({ '/': pageOf('Prices') });
  const { spaceId, crawls } = await newSpace();
  const { id } = await crawls.create({
    startUrl: `${site.url}/`,
    defaultMetadata: { audience: 'everyone' },
  });
  await crawls.untilEnded(id);
  site.pages.set('/', { html: pageOf('New prices') });
  site.before = async (path) => {
    if (path !== '/') return;
    site.before = null;
    await crawls.change(id, { defaultMetadata: { audience: 'staff' } });
  };
  const { run } = await crawls.run(id);
  assert.deepEqual([run?.outcome, site.before], ['complete', null]);
  const feed = await client(`/events?spaceId=${spaceId}&limit=100`, { as: session });
  const sent = (feed.json['items'] as FeedItem[])
    .map(({ event }) => event)
    .filter(({ subject }) => String(subject).startsWith(`crawl/${id}/`));
  assert.deepEqual(
    sent.map(({ data }) => (data as { readonly metadata: object }).metadata),
    [{ audience: 'everyone' }, { audience: 'staff' }],
  );
});

test('a crawl reads the pages of a sitemap index on its host, and respects its limits', async () => {
  await using site = await startSite({ '/one': pageOf('One', '/linked'), '/two': pageOf('Two') });
  const xml = (html: string) => ({ html, headers: { 'content-type': 'application/xml' } });
  site.pages.set(
    '/sitemap.xml',
    xml(
      `<?xml version="1.0"?><sitemapindex><sitemap><loc>${site.url}/pages.xml</loc></sitemap></sitemapindex>`,
    ),
  );
  site.pages.set(
    '/pages.xml',
    xml(
      `<urlset><url><loc>${site.url}/one</loc></url><url><loc> ${site.url}/two?a=1&amp;b=2 </loc></url><url><loc>https://other.example/</loc></url></urlset>`,
    ),
  );
  site.pages.set('/two?a=1&b=2', { html: pageOf('Two') });
  const { crawls } = await newSpace();
  const { id } = await crawls.create({ sitemapUrl: `${site.url}/sitemap.xml` });
  assert.equal((await crawls.untilEnded(id)).run?.outcome, 'complete');
  const urls = [`${site.url}/one`, `${site.url}/two?a=1&b=2`];
  await crawls.untilDocuments(urls);
  await crawls.change(id, { maxPages: 1 });
  const limited = await crawls.run(id);
  assert.deepEqual([limited.run?.outcome, limited.documents], ['limited', 2]);
  await crawls.change(id, { maxPages: 10, exclude: ['/two*'] });
  assert.equal((await crawls.run(id)).run?.removed, 1);
  await crawls.untilDocuments([`${site.url}/one`]);
});

test('Crawl-delay and Retry-After are respected', async () => {
  await using site = await startSite({
    '/robots.txt': 'User-agent: gatehouse-crawler\nCrawl-delay: 0.3',
    '/': pageOf('Start', '/busy'),
    '/busy': { html: pageOf('Busy'), first: { status: 503, headers: { 'retry-after': '2' } } },
  });
  const { crawls } = await newSpace();
  const { id } = await crawls.create({ startUrl: site.url });
  assert.equal((await crawls.untilEnded(id)).pages.sent, 2);
  assert.deepEqual(
    site.requests.map(({ path, status }) => [path, status]),
    [
      ['/robots.txt', 200],
      ['/', 200],
      ['/busy', 503],
      ['/busy', 200],
    ],
  );
  const [robots = 0, start = 0, first = 0, second = 0] = site.requests.map(({ at }) => at);
  assert.ok(start - robots >= 290 && first - start >= 290 && second - first >= 1900);
});

test('a text file is read in the declared character set, and a file that no document can be made of has a reason', async () => {
  const prices = Buffer.from('Größe;Preis\nklein;9 Franken', 'latin1');
  const file = (bytes: Uint8Array, type: string) => ({
    file: bytes,
    headers: { 'content-type': type },
  });
  await using site = await startSite({
    '/': pageOf('Start', '/declared.csv', '/utf-8.csv', '/undeclared.csv', '/broken.pdf'),
    '/declared.csv': file(prices, 'text/csv; charset=ISO-8859-1'),
    '/utf-8.csv': file(Buffer.from('Größe;Preis\ngroß;8 Franken'), 'text/csv; charset=ISO-8859-1'),
    '/undeclared.csv': file(prices, 'text/csv'),
    '/broken.pdf': file(Buffer.from('<p>Not found</p>'), 'application/pdf'),
  });
  const { spaceId, crawls } = await newSpace();
  const { id } = await crawls.create({ startUrl: site.url, defaultMetadata: {} });
  const { pages } = await crawls.untilEnded(id);
  assert.deepEqual([pages.sent, pages.failed], [3, 2]);
  const reasons = (await crawls.pages(id, '&result=failed')).map(({ reason }) => reason);
  assert.match(
    `${reasons[0]}`,
    /^the file has the extension \.pdf, but its bytes are text, not PDF/,
  );
  assert.match(`${reasons[1]}`, /its text is not UTF-8; save it as UTF-8/);
  await crawls.untilDocuments(
    ['/', '/declared.csv', '/utf-8.csv'].map((path) => `${site.url}${path}`),
  );
  const { json } = await client(`/spaces/${spaceId}/search`, {
    as: session,
    body: { query: 'Franken' },
  });
  const snippets = (json['items'] as { snippet: string }[]).map(({ snippet }) => snippet);
  assert.deepEqual(snippets.sort(), [
    'Größe: groß | Preis: 8 Franken',
    'Größe: klein | Preis: 9 Franken',
  ]);
});

test('a refresh is followed like a redirect, and tracking parameters make no further page', async () => {
  const refresh = (path: string) => `<meta http-equiv="refresh" content="0; url=${path}">`;
  await using site = await startSite({
    '/robots.txt': 'User-agent: *\nDisallow: /private',
    '/': pageOf('Start', '/old', '/to-private', '/a', '/help?utm_source=mail', '/help?gclid=1'),
    '/old': refresh('new?utm_medium=refresh'),
    '/new': pageOf('New'),
    '/to-private': refresh('/private'),
    '/private': pageOf('Private'),
    '/a': refresh('/b'),
    '/b': refresh('/a'),
    '/help': pageOf('Help', '/?fbclid=2'),
  });
  const { crawls } = await newSpace();
  const { id } = await crawls.create({ startUrl: `${site.url}/?utm_campaign=x` });
  const { run, pages } = await crawls.untilEnded(id);
  assert.deepEqual([run?.outcome, pages.sent, pages.alias, pages.excluded], ['complete', 3, 4, 1]);
  await crawls.untilDocuments(['/', '/new', '/help'].map((path) => `${site.url}${path}`));
  const [alias] = (await crawls.pages(id, '&result=alias')).filter(({ url }) => /old$/.test(url));
  assert.equal(alias?.reason, `the page redirects: ${site.url}/new`);
  const requested = site.requests.map(({ path }) => path);
  assert.ok(!requested.includes('/private'), 'robots.txt applies to the target');
  assert.equal(new Set(requested).size, requested.length, 'no page is requested twice');
});

test('redirects to other hosts and private addresses are not followed', async () => {
  await using inner = await startSite({ '/': pageOf('Inside') });
  await using site = await startSite({
    '/': pageOf('Start', '/away', '/meta', '/refresh'),
    '/away': { status: 302, headers: { location: inner.url } },
    '/meta': { status: 302, headers: { location: 'http://169.254.169.254/latest/' } },
    '/refresh': `<meta http-equiv="refresh" content="0;url=${inner.url}/">`,
  });
  const { crawls } = await newSpace();
  const { id } = await crawls.create({ startUrl: site.url });
  await crawls.untilEnded(id);
  assert.deepEqual(
    (await crawls.pages(id, '&result=failed')).map(({ reason }) => reason),
    Array(3).fill('the page redirects to another host'),
  );
  assert.equal(inner.requests.length, 0);
  const refused = await crawls.create({ startUrl: 'http://10.0.0.1/' });
  const { run } = await crawls.untilEnded(refused.id);
  assert.deepEqual(
    [run?.outcome, run?.failure],
    ['failed', 'robots.txt: the host has no public address'],
  );
});

test('a run can be stopped, which removes nothing, and invalid definitions are rejected', async () => {
  await using site = await startSite({ '/': pageOf('Start', '/a'), '/a': pageOf('A') });
  const { crawls } = await newSpace();
  const { id } = await crawls.create({ startUrl: site.url, delayMs: 60_000, everyHours: 1 });
  const stopped = await client(`${crawls.path}/${id}/stop`, { method: 'POST', as: session });
  assert.equal(stopped.status, 200, stopped.text);
  assert.equal((stopped.json['run'] as { outcome: string }).outcome, 'stopped');
  assert.notEqual(stopped.json['nextRunAt'], null);
  for (const [body, message] of [
    [{ startUrl: site.url }, /defaultMetadata/],
    [{ defaultMetadata: {} }, /exactly one/],
    [{ defaultMetadata: {}, startUrl: site.url, sitemapUrl: site.url }, /exactly one/],
    [{ defaultMetadata: {}, startUrl: 'ftp://a.example/' }, /startUrl/],
    [{ defaultMetadata: {}, startUrl: 'http://a:b@a.example/' }, /credentials/],
    [{ defaultMetadata: { 'a.b': 1 }, startUrl: site.url }, /defaultMetadata\.a\.b/],
    [{ defaultMetadata: {}, startUrl: site.url, include: ['docs'] }, /include\[0\]/],
  ] as const) {
    const answer = await client(crawls.path, { as: session, body: { name: 'x', ...body } });
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.text, message);
  }
});

test('a crawl with a schedule runs again when it is due', async () => {
  await using site = await startSite({ '/': pageOf('Start') });
  using directory = temporaryDirectory();
  let skew = 0;
  const clock = () => Date.now() + skew;
  const scheduled = await startInProcess(directory.path, { env: ALLOW_RECEIVERS, clock });
  try {
    const own = clientOf(scheduled.url);
    const as = await signIn(own);
    const { id: spaceId } = await makeSpace(own, as);
    const crawls = crawlsOf(own, as, spaceId);
    const { id } = await crawls.create({ startUrl: `${site.url}/`, everyHours: 1 });
    const { run: first, nextRunAt } = await crawls.untilEnded(id);
    assert.equal(Date.parse(nextRunAt ?? '') - Date.parse(first?.startedAt ?? ''), 3_600_000);
    skew = 3_600_000;
    await until('the next run has started', async () => {
      const { run } = await crawls.show(id);
      return run !== null && run.startedAt !== first?.startedAt;
    });
    const { run: second, pages } = await crawls.untilEnded(id);
    assert.deepEqual([second?.outcome, pages.unchanged], ['complete', 1]);
  } finally {
    await scheduled.stop();
  }
});
