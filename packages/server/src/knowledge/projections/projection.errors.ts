import { ApiError, MAX_PROJECTIONS } from '@gatehouse/contract';

export function noSuchProjection(): ApiError {
  return new ApiError({
    status: 404,
    code: 'knowledge.no-projection',
    message: 'No projection with this ID exists in this space.',
  });
}

export function tooManyProjections(): ApiError {
  return new ApiError({
    status: 409,
    code: 'knowledge.too-many-projections',
    message: `A space can have at most ${MAX_PROJECTIONS} projections; delete one first.`,
  });
}
