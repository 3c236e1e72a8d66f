import { ApiError, MAX_CRAWLS } from '@gatehouse/contract';

export function noSuchCrawl(): ApiError {
  return new ApiError({
    status: 404,
    code: 'knowledge.no-crawl',
    message: 'No crawl with this ID exists in this space.',
  });
}

export function tooManyCrawls(): ApiError {
  return new ApiError({
    status: 409,
    code: 'knowledge.too-many-crawls',
    message: `A space can have at most ${MAX_CRAWLS} crawls; delete one first.`,
  });
}
