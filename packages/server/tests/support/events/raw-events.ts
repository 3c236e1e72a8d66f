import assert from 'node:assert/strict';
import type { IngestResult } from '@gatehouse/contract';
import { type RawAnswer, type RawRequest, sendRaw } from '../http/raw-http.ts';
import { assertResponseMatches } from '../http/responses.ts';

/** Sends exactly these headers and bytes to `POST /events`. */
export async function postRawEvents(
  request: Pick<RawRequest, 'port' | 'headers' | 'body'>,
): Promise<RawAnswer> {
  const answer = await sendRaw({ ...request, path: '/events' });
  assertResponseMatches({ method: 'POST', path: '/events', ...answer });
  return answer;
}

export async function assertAccepted(sent: Promise<RawAnswer>): Promise<void> {
  const { status, body } = await sent;
  assert.equal(status, 200, body);
  assert.equal((JSON.parse(body) as IngestResult).success, true, body);
}

export async function assertRejected(
  sent: Promise<RawAnswer>,
  status: number,
  code: string,
): Promise<RawAnswer> {
  const answer = await sent;
  assert.equal(answer.status, status, answer.body);
  assert.equal((JSON.parse(answer.body) as { code: string }).code, code);
  return answer;
}
