import type { Engine } from './engine.ts';

/**
 * Earlier versions of documents, and crawls. `content` is the number under which `document_parts` contains the original of a version.
 * Several versions of a document, and the document itself, can have the same original.
 */
export const versionsAndCrawls = ({ text, integer, bytes }: Engine) => [
  `create table document_versions (
    space_id ${text} not null,
    document_id ${text} not null,
    version ${integer} not null,
    content ${integer} not null,
    file_name ${text} not null,
    mime_type ${text} not null,
    language ${text},
    title text,
    given_title text,
    url text,
    size ${integer} not null,
    sha256 ${text} not null,
    metadata text not null,
    stored_at ${text} not null,
    primary key (space_id, document_id, version)
  )`,
  'create index document_versions_content on document_versions (space_id, content)',
  `create table crawls (
    space_id ${text} not null references spaces (id) on delete cascade,
    id ${text} not null,
    definition text not null,
    state ${text} not null check (state in ('idle', 'running', 'deleting')),
    -- Number of the current or last run.
    run bigint not null,
    -- Incremented by every change outside of the crawler. The crawler then discards the page that it is fetching.
    revision bigint not null,
    -- Time of the next scheduled run, in Unix milliseconds. Null without a schedule.
    next_run_at bigint,
    -- The crawler pauses until this time, in Unix milliseconds, because the site asked for it.
    paused_until bigint not null default 0,
    -- JSON of the current or last run.
    progress text not null,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (space_id, id)
  )`,
  `create table crawl_pages (
    space_id ${text} not null,
    crawl_id ${text} not null,
    url ${text} not null,
    -- The last run that found the URL.
    run bigint not null,
    depth bigint not null,
    -- Null while the page is queued.
    result ${text} check (result in ('sent', 'unchanged', 'alias', 'excluded', 'gone', 'failed')),
    reason text,
    status bigint,
    attempts bigint not null default 0,
    due_at bigint not null default 0,
    -- 1 if an event with the document of this page may have been sent, and no deletion afterwards.
    has_document bigint not null default 0,
    -- Digest of the content and the properties that were sent.
    digest text,
    -- Digest of the properties that were sent, without the content.
    properties text,
    etag text,
    last_modified text,
    -- Compressed URLs that the page links to.
    links ${bytes},
    fetched_at bigint,
    primary key (space_id, crawl_id, url),
    foreign key (space_id, crawl_id) references crawls (space_id, id) on delete cascade
  )`,
  `create index crawl_pages_queued on crawl_pages (space_id, crawl_id, run, depth, url)
    where result is null`,
];
