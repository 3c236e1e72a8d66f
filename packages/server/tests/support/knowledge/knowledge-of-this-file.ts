import assert from 'node:assert/strict';
import type { ClientResponse } from '../http/client.ts';
import { formOf } from '../http/form.ts';
import { makeSpace, signIn } from '../provision.ts';
import { type FileService, serviceOfThisFile } from '../services/file-service.ts';
import type { InProcessOptions } from '../services/in-process-service.ts';

export interface FoundItem {
  readonly fileName: string;
  readonly title: string;
  readonly url: string | null;
  readonly heading: string | null;
  readonly text: string;
  readonly snippet: string;
  readonly highlights: readonly (readonly [number, number])[];
  readonly score: number;
}

export interface FileKnowledge extends Pick<FileService, 'client' | 'bareClient'> {
  readonly session: string;
  readonly spaceId: string;
  readonly path: string;
  /** Searches the space, by default as the administrator. */
  search(body: object, as?: string): Promise<FoundItem[]>;
  upload(
    name: string,
    content: string | Uint8Array<ArrayBuffer>,
    parts?: Readonly<Record<string, string>>,
  ): Promise<ClientResponse>;
}

export async function knowledgeOfThisFile(options: InProcessOptions = {}): Promise<FileKnowledge> {
  const { client, bareClient } = await serviceOfThisFile(options);
  const session = await signIn(client);
  const { id: spaceId } = await makeSpace(client, session);
  const path = `/spaces/${spaceId}/documents`;
  return {
    client,
    bareClient,
    session,
    spaceId,
    path,
    async search(body, as = session) {
      const answer = await client(`/spaces/${spaceId}/search`, { as, body });
      assert.equal(answer.status, 200, answer.text);
      return answer.json['items'] as FoundItem[];
    },
    async upload(name, content, parts = {}) {
      return client(path, { as: session, ...(await formOf(name, content, parts)) });
    },
  };
}
