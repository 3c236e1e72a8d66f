import { ApiError, type Document } from '@gatehouse/client';
import { effect, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { client, isInterrupted, onOtherUser, toProblem } from '../../app/client.ts';
import { warnWhile } from '../../app/forms/leave-warning.ts';
import type { Metadata } from '../../components/metadata/metadata-rows.ts';
import { POLL_MS } from './document-state.tsx';
import { replaceDocument } from './replace-document.ts';

/** The state of one file. `asking`: a document with this name exists, and the user must choose. */
export type UploadState =
  | { readonly name: 'waiting' }
  | { readonly name: 'asking' }
  | { readonly name: 'sending'; readonly share: number }
  | { readonly name: 'done'; readonly document: Document; readonly result: UploadResult }
  | { readonly name: 'failed'; readonly reason: string };

export type UploadResult = 'added' | 'replaced' | 'unchanged';

export interface Upload {
  readonly id: number;
  readonly spaceId: string;
  readonly file: File;
  readonly metadata: Metadata;
  readonly state: UploadState;
}

/** Maximum number of files that are sent at the same time. */
const AT_ONCE = 3;
/** Maximum number of documents whose state is loaded in one round while they are indexed. */
const FOLLOWED_AT_ONCE = 20;
/** Time between changes and the call of the listeners. */
const NOTIFY_MS = 500;

interface Job {
  readonly upload: Upload;
  readonly work: () => Promise<UploadState>;
}

/** The files of all spaces. They stay while the user visits other pages of the console. */
const uploads = signal<readonly Upload[]>([]);
/** Called with a space when one of its documents was added, replaced or indexed. */
const listeners = new Set<(spaceId: string) => void>();
/** The spaces whose listeners will be called. */
const changed = new Set<string>();
let queue: Job[] = [];
const running = new Set<Job>();
let lastId = 0;
let isFollowing = false;

// Another user must neither see nor continue the uploads.
onOtherUser(() => {
  queue = [];
  uploads.value = [];
});

warnWhile(() => uploads.value.some(({ state }) => !isFinished(state)));

// Uploads that an interruption has stopped continue after it. `onOtherUser` must run before.
effect(() => {
  if (!isInterrupted()) queueMicrotask(runNext);
});

/**
 * Returns the uploads of a space.
 *
 * @param onChange called when a document was added, replaced or indexed.
 */
export function useUploads(spaceId: string, onChange: () => void): readonly Upload[] {
  useEffect(() => {
    const listener = (changed: string) => changed === spaceId && onChange();
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, [spaceId, onChange]);
  return uploads.value.filter((upload) => upload.spaceId === spaceId);
}

/** Uploads files, a few at a time. Asks first if a document with the name of a file exists. */
export function addUploads(spaceId: string, files: readonly File[], metadata: Metadata): void {
  const added = files.map((file): Upload => {
    lastId += 1;
    return { id: lastId, spaceId, file, metadata, state: { name: 'waiting' } };
  });
  uploads.value = [...uploads.value, ...added];
  for (const upload of added) startUpload(upload);
}

/** Uploads a file, again if it has failed. */
export function startUpload(upload: Upload): void {
  const { spaceId, file } = upload;
  enqueue(upload, async () => {
    if ((await withName(spaceId, file.name)) !== undefined) return { name: 'asking' };
    return create(upload, file.name);
  });
}

/** Answers the question about a file whose name exists. */
export function chooseUpload(upload: Upload, choice: 'replace' | 'both'): void {
  const { spaceId, file } = upload;
  let existing: Document | undefined;
  enqueue(upload, async () => {
    if (choice === 'both') return create(upload, await freeName(spaceId, file.name));
    // Somebody may have deleted or replaced the document since the question. After an interruption, the newest document with the name can
    // be the one that was added in its place.
    existing ??= await withName(spaceId, file.name);
    if (existing === undefined) return create(upload, file.name);
    setState(upload, { name: 'sending', share: 0 });
    const replaced = await replaceDocument(existing, file, progressOf(upload));
    if (!replaced.ok) return { name: 'failed', reason: replaced.reason };
    const { document } = replaced;
    const isSame = document.id === existing.id && existing.key === null;
    return { name: 'done', document, result: isSame ? 'unchanged' : 'replaced' };
  });
}

/** Removes a file from the list. */
export function removeUpload({ id }: Upload): void {
  uploads.value = uploads.value.filter((item) => item.id !== id);
}

/** Removes the finished files of a space from the list. */
export function clearUploads(spaceId: string): void {
  uploads.value = uploads.value.filter(
    (upload) => upload.spaceId !== spaceId || !isFinished(upload.state),
  );
}

export function isFinished({ name }: UploadState): boolean {
  return name === 'done' || name === 'failed';
}

function setState({ id }: Upload, state: UploadState): void {
  uploads.value = uploads.value.map((item) => (item.id === id ? { ...item, state } : item));
}

/** Queues work on an upload. Its error becomes the state of the upload. */
function enqueue(upload: Upload, work: () => Promise<UploadState>): void {
  setState(upload, { name: 'waiting' });
  queue.push({ upload, work });
  runNext();
}

/** Starts jobs. Files of the same name run one after the other, so that the second one finds the document of the first one. */
function runNext(): void {
  while (running.size < AT_ONCE && !isInterrupted()) {
    const names = new Set([...running].map(({ upload }) => nameOf(upload)));
    const job = queue.find(({ upload }) => !names.has(nameOf(upload)));
    if (job === undefined) return;
    queue = queue.filter((one) => one !== job);
    running.add(job);
    void run(job).finally(() => {
      running.delete(job);
      runNext();
    });
  }
}

async function run(job: Job): Promise<void> {
  const { upload, work } = job;
  try {
    const state = await work();
    setState(upload, state);
    if (state.name !== 'done') return;
    notify(upload.spaceId);
    void followIndexing();
  } catch (error) {
    const { text, details } = toProblem(error);
    if (isInterrupted()) {
      setState(upload, { name: 'waiting' });
      queue.unshift(job);
      return;
    }
    setState(upload, { name: 'failed', reason: details.length > 0 ? details.join(' ') : text });
  }
}

/** Loads the documents that are being indexed, until none is left. The oldest are indexed first. */
async function followIndexing(): Promise<void> {
  if (isFollowing) return;
  isFollowing = true;
  for (;;) {
    const indexed = uploads.value.filter(isBeingIndexed).slice(0, FOLLOWED_AT_ONCE);
    if (indexed.length === 0) break;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    if (isInterrupted()) continue;
    for (const upload of indexed) await followOne(upload);
  }
  isFollowing = false;
}

async function followOne(upload: Upload): Promise<void> {
  const { state, spaceId } = upload;
  if (state.name !== 'done') return;
  try {
    const document = await client.documents.get(state.document.id, { spaceId });
    if (document.state === 'processing') return;
    setState(upload, { ...state, document });
    notify(spaceId);
  } catch (error) {
    // The document was deleted. After other errors, the next round tries again.
    if (error instanceof ApiError && error.status === 404) removeUpload(upload);
  }
}

function isBeingIndexed({ state }: Upload): boolean {
  return state.name === 'done' && state.document.state === 'processing';
}

/** Calls the listeners of a space soon, once for all changes until then. */
function notify(spaceId: string): void {
  if (changed.has(spaceId)) return;
  changed.add(spaceId);
  setTimeout(() => {
    changed.delete(spaceId);
    for (const listener of listeners) listener(spaceId);
  }, NOTIFY_MS);
}

async function create(upload: Upload, fileName: string): Promise<UploadState> {
  const { spaceId, file, metadata } = upload;
  setState(upload, { name: 'sending', share: 0 });
  const document = await client.documents.create(
    { file, fileName, metadata },
    { spaceId, ...progressOf(upload) },
  );
  return { name: 'done', document, result: 'added' };
}

function progressOf(upload: Upload) {
  return {
    onProgress: ({ loaded, total = 0 }: { loaded: number; total: number | undefined }) =>
      setState(upload, { name: 'sending', share: total === 0 ? 1 : loaded / total }),
  };
}

function nameOf({ spaceId, file }: Upload): string {
  return `${spaceId} ${file.name}`;
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
