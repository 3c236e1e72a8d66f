import type { Document } from '@gatehouse/client';
import { useRef, useState } from 'preact/hooks';
import { client, toProblem } from '../../app/client.ts';
import type { Metadata } from '../../components/metadata/metadata-rows.ts';
import { replaceDocument } from './replace-document.ts';

/** The state of one file. `asking`: a document with this name exists, and the user must choose. */
export type UploadState =
  | { readonly name: 'waiting' }
  | { readonly name: 'asking'; readonly existing: Document }
  | { readonly name: 'sending'; readonly share: number }
  | { readonly name: 'done'; readonly document: Document; readonly result: UploadResult }
  | { readonly name: 'failed'; readonly reason: string };

export type UploadResult = 'added' | 'replaced' | 'unchanged';

export interface Upload {
  readonly id: number;
  readonly file: File;
  readonly metadata: Metadata;
  readonly state: UploadState;
}

export interface Uploads {
  readonly items: readonly Upload[];
  /** Uploads files. Asks first if a document with the name of a file exists. */
  readonly add: (files: readonly File[], metadata: Metadata) => void;
  /** Answers the question about a file whose name exists. */
  readonly choose: (upload: Upload, choice: 'replace' | 'both') => void;
  readonly skip: (upload: Upload) => void;
  readonly retry: (upload: Upload) => void;
  /** Removes the finished files from the list. */
  readonly clear: () => void;
}

/** Maximum number of files that are sent at the same time. */
const AT_ONCE = 3;
let lastId = 0;

/**
 * Uploads files, a few at a time, and keeps the state of each.
 *
 * @param onChange called when a document was added or replaced.
 */
export function useUploads(spaceId: string, onChange: () => void): Uploads {
  const [items, setItems] = useState<readonly Upload[]>([]);
  const queue = useRef<(() => Promise<void>)[]>([]);
  const running = useRef(0);

  const setState = (id: number, state: UploadState) =>
    setItems((all) => all.map((item) => (item.id === id ? { ...item, state } : item)));

  const next = () => {
    const work = running.current < AT_ONCE ? queue.current.shift() : undefined;
    if (work === undefined) return;
    running.current += 1;
    void work().finally(() => {
      running.current -= 1;
      next();
    });
    next();
  };

  /** Queues work on an upload. Its error becomes the state of the upload. */
  const enqueue = (id: number, work: () => Promise<UploadState>) => {
    setState(id, { name: 'waiting' });
    queue.current.push(async () => {
      try {
        const state = await work();
        setState(id, state);
        if (state.name === 'done') onChange();
      } catch (error) {
        const { text, details } = toProblem(error);
        setState(id, { name: 'failed', reason: details.length > 0 ? details.join(' ') : text });
      }
    });
    next();
  };

  const sending = (id: number) => ({
    onProgress: ({ loaded, total = 0 }: { loaded: number; total: number | undefined }) =>
      setState(id, { name: 'sending', share: total === 0 ? 1 : loaded / total }),
  });

  const create = async ({ id, file, metadata }: Upload, fileName: string): Promise<UploadState> => {
    setState(id, { name: 'sending', share: 0 });
    const upload = { file, fileName, metadata };
    const document = await client.documents.create(upload, { spaceId, ...sending(id) });
    return { name: 'done', document, result: 'added' };
  };

  const start = (upload: Upload) =>
    enqueue(upload.id, async () => {
      const existing = await withName(spaceId, upload.file.name);
      if (existing !== undefined) return { name: 'asking', existing };
      return create(upload, upload.file.name);
    });

  return {
    items,
    add(files, metadata) {
      const added = files.map((file): Upload => {
        lastId += 1;
        return { id: lastId, file, metadata, state: { name: 'waiting' } };
      });
      setItems((all) => [...all, ...added]);
      for (const upload of added) start(upload);
    },
    choose(upload, choice) {
      const { id, file, state } = upload;
      if (state.name !== 'asking') return;
      const { existing } = state;
      enqueue(id, async () => {
        if (choice === 'both') return create(upload, await freeName(spaceId, file.name));
        setState(id, { name: 'sending', share: 0 });
        const replaced = await replaceDocument(existing, file, sending(id));
        if (!replaced.ok) return { name: 'failed', reason: replaced.reason };
        const { document } = replaced;
        const isSame = document.id === existing.id && existing.key === null;
        return { name: 'done', document, result: isSame ? 'unchanged' : 'replaced' };
      });
    },
    skip: ({ id }) => setItems((all) => all.filter((item) => item.id !== id)),
    retry: start,
    clear: () => setItems((all) => all.filter(({ state }) => !isFinished(state))),
  };
}

export function isFinished({ name }: UploadState): boolean {
  return name === 'done' || name === 'failed';
}

/** Reports whether leaving the page would interrupt the upload. */
export function isUnderway({ name }: UploadState): boolean {
  return name === 'waiting' || name === 'sending';
}

/** Returns the newest document with a file name. */
async function withName(spaceId: string, fileName: string): Promise<Document | undefined> {
  const { items } = await client.documents.list({ fileName, limit: 100 }, { spaceId });
  return items.at(-1);
}

/** Returns the first of `name (2).ext`, `name (3).ext` and so on that no document has. */
async function freeName(spaceId: string, name: string): Promise<string> {
  const dot = name.lastIndexOf('.');
  const [stem, extension] = dot <= 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot)];
  for (let number = 2; ; number += 1) {
    const free = `${stem} (${number})${extension}`;
    if ((await withName(spaceId, free)) === undefined) return free;
  }
}
