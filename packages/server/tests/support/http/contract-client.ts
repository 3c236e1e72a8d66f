import type { Client } from './client.ts';
import { assertResponseMatches } from './responses.ts';

/** Wraps a client and asserts that every response matches the contract. */
export function contractClient(client: Client): Client {
  return async (path, send = {}) => {
    const answer = await client(path, send);
    const method = send.method ?? (send.body === undefined ? 'GET' : 'POST');
    const { status, headers, text: body } = answer;
    assertResponseMatches({ method, path, status, headers, body });
    return answer;
  };
}
