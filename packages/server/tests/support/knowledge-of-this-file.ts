import assert from 'node:assert/strict';
import type { Answer, Send } from './client.ts';
import { type FileService, serviceOfThisFile } from './file-service.ts';
import { makeSpace, signIn } from './provision.ts';

export interface FoundItem {
  readonly fileName: string;
  readonly heading: string | null;
  readonly text: string;
  readonly snippet: string;
  readonly highlights: readonly (readonly [number, number])[];
  readonly score: number;
}

/** A space for the documents of a test file, in a service of the file's own. */
export interface FileKnowledge extends Pick<FileService, 'client' | 'bareClient'> {
  /** An administrator's. */
  readonly session: string;
  readonly spaceId: string;
  /** Of the space's documents. */
  readonly path: string;
  /** What the space answers, as the administrator unless another credential is given. */
  search(body: object, as?: string): Promise<FoundItem[]>;
  /** Sends a file as a browser or curl would, with further parts by their names. */
  upload(
    name: string,
    content: string | Uint8Array<ArrayBuffer>,
    parts?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
}

export async function knowledgeOfThisFile(): Promise<FileKnowledge> {
  const { client, bareClient } = await serviceOfThisFile();
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

async function formOf(
  name: string,
  content: string | Uint8Array<ArrayBuffer>,
  parts: Readonly<Record<string, string>>,
): Promise<Send> {
  const form = new FormData();
  form.set('file', new File([content], name));
  for (const [part, value] of Object.entries(parts)) form.set(part, value);
  const encoded = new Response(form);
  const body = new Uint8Array(await encoded.arrayBuffer());
  const contentType = encoded.headers.get('content-type') ?? '';
  return { body, headers: { 'content-type': contentType } };
}
