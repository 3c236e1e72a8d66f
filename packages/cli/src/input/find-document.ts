import { type Document, type Gatehouse, NotFoundError } from '@gatehouse/client';
import { EXIT, Failure } from '../shell/failure.ts';
import { checked, itemsOf } from '../shell/response.ts';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Returns the document with an ID or a key. A key is searched in the list of all documents. */
export async function findDocument(
  { documents }: Gatehouse,
  name: string,
  signal: AbortSignal,
): Promise<Document> {
  if (UUID.test(name))
    try {
      return checked(await documents.get(name, { signal }), { id: '' });
    } catch (error) {
      // A key may look like an ID.
      if (!(error instanceof NotFoundError)) throw error;
    }
  for await (const document of itemsOf(documents.list({ limit: 200 }, { signal }), { id: '' }))
    if (document.key === name) return document;
  throw new Failure({
    exitCode: EXIT.rejected,
    code: 'documents.not-found',
    message: `No document has the ID or key "${name}". "gatehouse documents list" lists the documents.`,
  });
}
