import { type ApiError, MAX_PROJECTIONS } from '@gatehouse/contract';
import { conflict, notFound } from '../../http/index.ts';

export function noSuchProjection(): ApiError {
  return notFound('knowledge.no-projection', 'No projection with this ID exists in this space.');
}

export function tooManyProjections(): ApiError {
  return conflict(
    'knowledge.too-many-projections',
    `A space can have at most ${MAX_PROJECTIONS} projections; delete one first.`,
  );
}
