import { type ApiError, MAX_CRAWLS } from '@gatehouse/contract';
import { conflict, notFound } from '../../http/index.ts';

export function noSuchCrawl(): ApiError {
  return notFound('knowledge.no-crawl', 'No crawl with this ID exists in this space.');
}

export function tooManyCrawls(): ApiError {
  return conflict(
    'knowledge.too-many-crawls',
    `A space can have at most ${MAX_CRAWLS} crawls; delete one first.`,
  );
}
