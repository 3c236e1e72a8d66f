import type { BodyOf } from '../../api.ts';
import type { Content } from '../../http/input.ts';
import type { List } from '../../http/list.ts';
import type { RequestOptions, UploadOptions } from '../../options.ts';
import type {
  Document,
  DocumentChange,
  DocumentLinks,
  DocumentPage,
  DocumentQuery,
  DocumentsChange,
  DocumentVersionList,
  ListQuery,
  MetadataFieldPage,
  NewDocument,
  PassagePage,
  PassageQuery,
  RestoreRequest,
} from '../../types.ts';
import { type FileSource, multipart } from '../../uploads/multipart.ts';
import { Resource } from '../resource.ts';

/** A document whose content is a file: PDF, DOCX, HTML, Markdown, CSV, JSON or plain text of up to 25 MiB. */
export interface NewFile {
  readonly file: FileSource;
  /** File name with the extension of its format. Default: the name of a `File`. */
  readonly fileName?: string | undefined;
  readonly title?: string | undefined;
  readonly url?: string | undefined;
  readonly language?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** Default timeout of an upload in milliseconds. */
const UPLOAD_TIMEOUT_MS = 600_000;

/** Documents, which the assistant searches and cites. */
export class Documents extends Resource {
  /**
   * Uploads a document as text or as a file. The state of the result is `processing` until the document is indexed.
   *
   * @example
   * const document = await gatehouse.documents.create({
   *   fileName: 'returns.md',
   *   markdown: '# Returns\n\nYou may send anything back within 30 days.',
   *   metadata: { department: 'support' },
   * });
   * @example
   * const file = new Blob(['Refunds take five days.']);
   * await gatehouse.documents.create(
   *   { file, fileName: 'refunds.txt' },
   *   { onProgress: ({ loaded, total }) => console.log(loaded, total) },
   * );
   */
  create(document: NewDocument | NewFile, options?: UploadOptions): Promise<Document> {
    const input = this.#toInput(document, options);
    return this.api.send('POST! /spaces/{spaceId}/documents', input, options);
  }

  /**
   * Creates or replaces the document with a key. Omitted members are reset.
   *
   * @example
   * const document = await gatehouse.documents.put('wiki/returns', {
   *   fileName: 'returns.md',
   *   markdown: '# Returns\n\nYou may send anything back within 60 days.',
   * });
   */
  put(key: string, document: NewDocument | NewFile, options?: UploadOptions): Promise<Document> {
    const input = { params: [key], ...this.#toInput(document, options) } as const;
    return this.api.send('PUT /spaces/{spaceId}/documents/by-key/{key}', input, options);
  }

  /**
   * Lists documents, oldest first, or newest first with `order`.
   *
   * @example
   * for await (const { title, failure } of gatehouse.documents.list({ state: 'failed' })) {
   *   console.log(title, failure);
   * }
   * @example
   * const { items } = await gatehouse.documents.list({ order: 'newest', limit: 10 });
   */
  list(query?: DocumentQuery, options?: RequestOptions): List<DocumentPage> {
    return this.api.list('GET /spaces/{spaceId}/documents', { query }, options);
  }

  /**
   * Returns a document.
   *
   * @example
   * const { state } = await gatehouse.documents.get(documentId);
   */
  get(documentId: string, options?: RequestOptions): Promise<Document> {
    const input = { params: [documentId] } as const;
    return this.api.send('GET /spaces/{spaceId}/documents/{documentId}', input, options);
  }

  /**
   * Downloads the file of a document. The body of the result is a stream.
   *
   * @example
   * const response = await gatehouse.documents.download(documentId);
   * const file = await response.blob();
   */
  download(documentId: string, options?: RequestOptions): Promise<Response> {
    const input = { params: [documentId] } as const;
    return this.api.open('GET /spaces/{spaceId}/documents/{documentId}/content', input, options);
  }

  /**
   * Lists the passages of a document in their order.
   *
   * @example
   * for await (const { heading, text } of gatehouse.documents.listPassages(documentId)) {
   *   console.log(heading, text);
   * }
   */
  listPassages(
    documentId: string,
    query?: PassageQuery,
    options?: RequestOptions,
  ): List<PassagePage> {
    const input = { params: [documentId], query } as const;
    return this.api.list('GET /spaces/{spaceId}/documents/{documentId}/passages', input, options);
  }

  /**
   * Changes the title, URL or metadata of a document. `metadata` replaces all metadata.
   *
   * @example
   * await gatehouse.documents.update(documentId, { title: 'How to return an order' });
   */
  update(documentId: string, change: DocumentChange, options?: RequestOptions): Promise<Document> {
    const input = { params: [documentId], body: change } as const;
    return this.api.send('PATCH /spaces/{spaceId}/documents/{documentId}', input, options);
  }

  /**
   * Sets metadata keys of up to 1,000 documents at once. Other keys keep their values.
   *
   * @example
   * const { changed } = await gatehouse.documents.updateMany({
   *   ids: [documentId],
   *   metadata: { audience: ['staff'] },
   * });
   */
  updateMany(change: DocumentsChange, options?: RequestOptions): Promise<{ changed: number }> {
    return this.api.send('PATCH /spaces/{spaceId}/documents', { body: change }, options);
  }

  /**
   * Indexes a failed document again. `force` also indexes a document that is `ready` again.
   *
   * @example
   * const { state } = await gatehouse.documents.retry(documentId);
   */
  retry(
    documentId: string,
    options?: RequestOptions & { readonly force?: boolean },
  ): Promise<Document> {
    const query = { force: options?.force ? 'true' : undefined } as const;
    const input = { params: [documentId], query } as const;
    return this.api.send('POST /spaces/{spaceId}/documents/{documentId}/retry', input, options);
  }

  /**
   * Returns the active links that show a document. Requires a session with edit rights.
   *
   * @example
   * const { items, examined } = await gatehouse.documents.listLinks(documentId);
   * console.log(`${items.length} of ${examined} links show the document`);
   */
  listLinks(documentId: string, options?: RequestOptions): Promise<DocumentLinks> {
    const input = { params: [documentId] } as const;
    return this.api.send('GET /spaces/{spaceId}/documents/{documentId}/links', input, options);
  }

  /**
   * Returns the last ten versions of a document, newest first.
   *
   * @example
   * const { items } = await gatehouse.documents.listVersions(documentId);
   * for (const { version, fileName, storedAt } of items) console.log(version, fileName, storedAt);
   */
  listVersions(documentId: string, options?: RequestOptions): Promise<DocumentVersionList> {
    const input = { params: [documentId] } as const;
    return this.api.send('GET /spaces/{spaceId}/documents/{documentId}/versions', input, options);
  }

  /**
   * Downloads the file of a version. The body of the result is a stream.
   *
   * @example
   * const response = await gatehouse.documents.downloadVersion(documentId, 1);
   * const file = await response.blob();
   */
  downloadVersion(
    documentId: string,
    version: number,
    options?: RequestOptions,
  ): Promise<Response> {
    const input = { params: [documentId, version] } as const;
    return this.api.open(
      'GET /spaces/{spaceId}/documents/{documentId}/versions/{version}/content',
      input,
      options,
    );
  }

  /**
   * Stores an earlier version of a document as its newest version.
   *
   * @param request `properties` must be given if the file name, media type, language or metadata of the version differ from those
   *   of the document: `current` keeps them, `version` restores those of the version.
   * @example
   * await gatehouse.documents.restoreVersion(documentId, 1, { properties: 'current' });
   */
  restoreVersion(
    documentId: string,
    version: number,
    request: RestoreRequest = {},
    options?: RequestOptions,
  ): Promise<Document> {
    const input = { params: [documentId, version], body: request } as const;
    return this.api.send(
      'POST /spaces/{spaceId}/documents/{documentId}/versions/{version}/restore',
      input,
      options,
    );
  }

  /**
   * Deletes a document.
   *
   * @example
   * await gatehouse.documents.delete(documentId);
   */
  delete(documentId: string, options?: RequestOptions): Promise<void> {
    const input = { params: [documentId] } as const;
    return this.api.send('DELETE /spaces/{spaceId}/documents/{documentId}', input, options);
  }

  /**
   * Lists the metadata fields that filters can use, with their types and most frequent values.
   *
   * @example
   * for await (const { name } of gatehouse.documents.listMetadataFields()) console.log(name);
   */
  listMetadataFields(query?: ListQuery, options?: RequestOptions): List<MetadataFieldPage> {
    return this.api.list('GET /spaces/{spaceId}/metadata-fields', { query }, options);
  }

  #toInput(
    document: NewDocument | NewFile,
    options?: UploadOptions,
  ): { body?: BodyOf<'POST! /spaces/{spaceId}/documents'>; content?: Content; timeout?: number } {
    if (!('file' in document)) return { body: document };
    const { file, metadata, title, url, language } = document;
    const fileName = document.fileName ?? (file as Partial<File>).name;
    if (fileName === undefined) throw new TypeError('fileName is missing');
    const parts = { metadata: metadata && JSON.stringify(metadata), title, url, language };
    const { hasGlobalFetch } = this.api;
    const settings = { onProgress: options?.onProgress, hasGlobalFetch };
    const content = multipart(file, fileName, parts, settings);
    return { content, timeout: UPLOAD_TIMEOUT_MS };
  }
}
