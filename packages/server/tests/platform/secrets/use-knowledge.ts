import assert from 'node:assert/strict';
import type { Client } from '../../support/http/client.ts';
import { addDocument, untilDocumentIndexed } from '../../support/knowledge/knowledge.ts';
import { makeSpace } from '../../support/provision.ts';
import type { Secrets } from './secrets.ts';

/**
 * Uploads and searches documents with valid and invalid requests. The contents of the documents and requests must never
 * be printed.
 */
export async function useKnowledge(
  { client, contents }: { readonly client: Client; readonly contents: Secrets },
  as: string,
  made: (what: string) => string,
): Promise<void> {
  const { id: spaceId } = await makeSpace(client, as);
  const path = `/spaces/${spaceId}/documents`;
  const secret = contents.add('text of a document', made('document'));
  const team = contents.add('metadata', made('metadata'));
  const fileName = contents.add('name of a document', `${made('name')}.txt`);
  const { id } = await addDocument(client, as, spaceId, {
    fileName,
    text: secret,
    metadata: { team },
  });
  const broken = { fileName, html: `<p>${secret}`, metadata: { [`${team}.`]: team } };
  const change = { method: 'PATCH', as, body: { metadata: { team: [team] } } };
  const pdf = new FormData();
  pdf.set('file', new File([`%PDF-1.7 ${secret}`], `${fileName}.pdf`));
  const encoded = new Response(pdf);
  const upload = await client(path, {
    as,
    body: new Uint8Array(await encoded.arrayBuffer()),
    headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
  });
  await untilDocumentIndexed(client, as, String(upload.headers.get('location')));
  const search = `/spaces/${spaceId}/search`;
  for (const [status, answering] of [
    [400, client(path, { as, body: broken })],
    [200, client(`${path}/${id}`, change)],
    [200, client(`${path}/${id}/content`, { as })],
    [200, client(`${path}/${id}/passages`, { as })],
    [200, client(search, { as, body: { query: secret, filter: { team: { eq: team } } } })],
    [400, client(search, { as, body: { query: secret, filter: { team: { [team]: team } } } })],
    [400, client(search, { as, body: `{"query":"${secret}` })],
  ] as const) {
    const answer = await answering;
    assert.equal(answer.status, status, answer.text);
  }
}
