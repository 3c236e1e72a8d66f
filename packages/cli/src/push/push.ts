import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import {
  ApiError,
  type Document,
  ForbiddenError,
  type Gatehouse,
  NotFoundError,
  RateLimitError,
  UnauthorizedError,
} from '@gatehouse/client';
import { problemsBeyondMessage } from '../shell/failure.ts';
import { checkEmpty, checked, itemsOf } from '../shell/response.ts';
import { type Description, digestOf, MARK, type Mark, markOf } from './mark.ts';
import type { LocalFile } from './scan.ts';

export type PushState =
  | 'uploaded'
  | 'unchanged'
  | 'deleted'
  | 'failed'
  | 'would-upload'
  | 'would-delete';

/** Result of one file or of one removed document. */
export interface PushResult {
  readonly key: string;
  readonly state: PushState;
  readonly documentId?: string;
  /** Reason for the state `failed`, or the reason why the service could not index an unchanged file. */
  readonly failure?: string;
}

export interface PushOptions {
  readonly gatehouse: Gatehouse;
  readonly files: readonly LocalFile[];
  readonly prefix: string;
  readonly description: Description;
  /** Maximum number of concurrent uploads. */
  readonly parallel: number;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
}

interface Remote {
  readonly id: string;
  readonly mark: Mark | undefined;
  readonly failure: string | null;
}

const MAX_BYTES = 25 * 1024 * 1024;
const MAX_RETRIES = 6;

/** The documents of the space that have a key. */
export class PushTarget {
  readonly #options: PushOptions;
  readonly #remote: ReadonlyMap<string, Remote>;

  private constructor(options: PushOptions, remote: ReadonlyMap<string, Remote>) {
    this.#options = options;
    this.#remote = remote;
  }

  static async open(options: PushOptions): Promise<PushTarget> {
    const remote = new Map<string, Remote>();
    const { gatehouse, signal, prefix } = options;
    const list = gatehouse.documents.list({ limit: 200 }, { signal });
    for await (const document of itemsOf(list, { id: '', metadata: {} })) {
      const { id, key, failure }: Document = document;
      if (key?.startsWith(prefix)) remote.set(key, { id, mark: markOf(document), failure });
    }
    return new PushTarget(options, remote);
  }

  /** Documents of earlier pushes of this folder whose files no longer exist. */
  removed(): readonly { readonly key: string; readonly id: string }[] {
    const local = new Set(this.#options.files.map(({ key }) => key));
    return [...this.#remote]
      .filter(([key, { mark }]) => mark?.prefix === this.#options.prefix && !local.has(key))
      .map(([key, { id }]) => ({ key, id }));
  }

  /** Uploads the changed files. A repeated upload has the same result, so an interrupted push can be repeated. */
  async upload(report: (result: PushResult) => void): Promise<void> {
    await inParallel(this.#options.files, this.#options, async (file) => {
      report(await this.#uploadOne(file));
    });
  }

  /** Deletes the removed documents. */
  async deleteRemoved(report: (result: PushResult) => void): Promise<void> {
    const { gatehouse, dryRun, signal } = this.#options;
    await inParallel(this.removed(), this.#options, async ({ key, id }) => {
      if (dryRun) return report({ key, state: 'would-delete', documentId: id });
      try {
        checkEmpty(await gatehouse.documents.delete(id, { signal, maxRetries: MAX_RETRIES }));
      } catch (error) {
        // Another process, or a repeated request, has already deleted the document.
        if (!(error instanceof NotFoundError)) throw error;
      }
      report({ key, state: 'deleted', documentId: id });
    });
  }

  async #uploadOne({ key, path }: LocalFile): Promise<PushResult> {
    const { gatehouse, description, prefix, dryRun, signal } = this.#options;
    try {
      if ((await stat(path)).size > MAX_BYTES)
        return { key, state: 'failed', failure: 'The file is larger than 25 MiB.' };
      const bytes = await readFile(path);
      const sha256 = digestOf(bytes, description);
      const remote = this.#remote.get(key);
      if (remote?.mark?.sha256 === sha256 && remote.mark.prefix === prefix)
        return {
          key,
          state: 'unchanged',
          documentId: remote.id,
          ...(remote.failure === null ? {} : { failure: remote.failure }),
        };
      if (dryRun) return { key, state: 'would-upload' };
      const { metadata, language } = description;
      const stored = await gatehouse.documents.put(
        key,
        {
          file: bytes,
          fileName: basename(path),
          language,
          metadata: { ...metadata, [MARK]: { prefix, sha256 } },
        },
        { signal, maxRetries: MAX_RETRIES },
      );
      return { key, state: 'uploaded', documentId: checked(stored, { id: '' }).id };
    } catch (error) {
      if (!isAboutFile(error)) throw error;
      const problems = error instanceof ApiError ? problemsBeyondMessage(error) : [];
      return { key, state: 'failed', failure: [error.message, ...problems].join(' ') };
    }
  }
}

/** Reports whether the error concerns one file, so that the other files can still be uploaded. */
function isAboutFile(error: unknown): error is Error {
  if (error instanceof ApiError)
    return !(
      error instanceof UnauthorizedError ||
      error instanceof ForbiddenError ||
      error instanceof RateLimitError ||
      error.status >= 500
    );
  return error instanceof Error && 'syscall' in error;
}

/** Runs `work` for each item, at most `parallel` at once. After an error or an abort, no further item is started. */
async function inParallel<T>(
  items: readonly T[],
  { parallel, signal }: Pick<PushOptions, 'parallel' | 'signal'>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  let failed = false;
  const worker = async () => {
    for (const item of rest) {
      if (failed) return;
      signal.throwIfAborted();
      await work(item);
    }
  };
  const workers = Array.from({ length: parallel }, () =>
    worker().catch((error: unknown) => {
      failed = true;
      throw error;
    }),
  );
  const ended = await Promise.allSettled(workers);
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}
