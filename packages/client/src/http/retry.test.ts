import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ApiError, ConnectionError, InvalidResponseError, TimeoutError } from '../errors.ts';
import { retryDelay } from './retry.ts';

const least = () => 0;
const most = () => 1;

function apiError(status: number, retryAfter?: number): ApiError {
  const init = { message: '', code: 'x.y', issues: [], requestId: undefined };
  return new ApiError({ ...init, loginUrl: undefined, challenge: undefined, status, retryAfter });
}

describe('the delay before a retry', () => {
  test('doubles with each attempt up to eight seconds', () => {
    const error = new ConnectionError('broken');
    const delays = [1, 2, 3, 4, 5, 6, 60].map((attempt) => retryDelay(error, attempt, most));
    assert.deepEqual(delays, [500, 1000, 2000, 4000, 8000, 8000, 8000]);
  });

  test('is reduced by up to a half at random', () => {
    assert.equal(retryDelay(new TimeoutError('slow'), 2, least), 500);
    assert.equal(retryDelay(new TimeoutError('slow'), 2, most), 1000);
  });

  test('is never shorter than Retry-After', () => {
    assert.equal(retryDelay(apiError(503, 7), 1, least), 7000);
    assert.equal(retryDelay(apiError(429, 60), 1, most), 60_500);
  });

  test('does not exist if Retry-After is longer than a minute', () => {
    assert.equal(retryDelay(apiError(429, 61), 1), undefined);
  });

  for (const status of [408, 429, 500, 502, 503, 504])
    test(`exists for the status ${status}`, () => {
      assert.equal(retryDelay(apiError(status), 1, most), 500);
    });

  for (const status of [400, 401, 403, 404, 409, 410, 413, 415, 422, 501])
    test(`does not exist for the status ${status}`, () => {
      assert.equal(retryDelay(apiError(status), 1), undefined);
    });

  test('exists for the 409 of a running request, which has a Retry-After', () => {
    assert.equal(retryDelay(apiError(409, 1), 1, least), 1000);
  });

  test('does not exist for a response that is not from Gatehouse, or an unknown error', () => {
    assert.equal(retryDelay(new InvalidResponseError('not JSON'), 1), undefined);
    assert.equal(retryDelay(new TypeError('wrong'), 1), undefined);
  });
});
