import type { Attachment, FilePart } from '@gatehouse/contract';
import { type Signal, signal } from '@preact/signals';
import type { Api, TokenSource } from '../../api/api.ts';
import { randomId } from '../../chat/message.ts';

/** Maximum time without progress, in milliseconds. Afterwards an upload fails. Includes the time in which the service reads the file. */
const IDLE_TIMEOUT_MS = 60_000;

/** A file that the person has attached and not sent yet. */
export interface AttachedFile {
  readonly id: string;
  readonly file: File;
  /** Sent fraction. 1 while the service reads the file. */
  readonly progress: number;
  /** `null` until the upload has ended. */
  readonly result: Uploaded | null;
}

/** The attached files of one chat, from their selection until they are sent or removed. */
export class AttachedFiles implements Disposable {
  readonly files: Signal<readonly AttachedFile[]> = signal<readonly AttachedFile[]>([]);
  readonly #api: Api;
  readonly chatId: string;
  readonly #uploads = new Map<string, { ending: AbortController; done: Promise<void> }>();

  constructor(api: Api, chatId: string) {
    this.#api = api;
    this.chatId = chatId;
  }

  add(chosen: Iterable<File>): void {
    for (const file of chosen) {
      const id = randomId();
      this.files.value = [...this.files.peek(), { id, file, progress: 0, result: null }];
      this.#start(id, file);
    }
  }

  /** Removes a file. Also removes it from the service, which would otherwise keep it for some time. */
  remove(id: string): void {
    this.#uploads.get(id)?.ending.abort();
    const removed = this.files.peek().find((file) => file.id === id);
    this.files.value = this.files.peek().filter((file) => file.id !== id);
    if (removed?.result?.ok) this.#delete(removed.result.attachment.id);
  }

  /**
   * Uploads failed files again, waits for all uploads, and returns the parts of the files. If a file fails, returns `null`. All files
   * remain in this case, and if the signal aborts.
   */
  async take(signal: AbortSignal): Promise<readonly FilePart[] | null> {
    for (const { id, file } of this.#failed()) {
      this.#change(id, { progress: 0, result: null });
      this.#start(id, file);
    }
    await Promise.all([...this.#uploads.values()].map(({ done }) => done));
    if (signal.aborted) return [];
    if (this.#failed().length > 0) return null;
    const parts = this.files
      .peek()
      .flatMap(({ result }) => (result?.ok ? [result.attachment.part] : []));
    this.files.value = this.files.peek().filter(({ result }) => !result?.ok);
    return parts;
  }

  [Symbol.dispose](): void {
    for (const { id } of this.files.peek()) this.remove(id);
  }

  #failed(): readonly AttachedFile[] {
    return this.files.peek().filter(({ result }) => result?.ok === false);
  }

  #start(id: string, file: File): void {
    const ending = new AbortController();
    this.#uploads.set(id, { ending, done: this.#upload(id, file, ending.signal) });
  }

  async #upload(id: string, file: File, signal: AbortSignal): Promise<void> {
    const result = await upload({
      tokens: this.#api.tokens,
      chatId: this.chatId,
      file,
      onProgress: (progress) => this.#change(id, { progress }),
      signal,
    });
    this.#uploads.delete(id);
    // The service may have stored the file although the person removed it.
    if (signal.aborted && result.ok) this.#delete(result.attachment.id);
    this.#change(id, { progress: 1, result });
  }

  #change(id: string, change: Partial<AttachedFile>): void {
    this.files.value = this.files
      .peek()
      .map((file) => (file.id === id ? { ...file, ...change } : file));
  }

  #delete(attachmentId: string): void {
    const path = `/chat/${encodeURIComponent(this.chatId)}/attachments/${attachmentId}`;
    void this.#api.send({ method: 'DELETE', path });
  }
}

/** Result of an upload. A `code` is an error code of the service, or an empty text without a connection. */
type Uploaded =
  | { readonly ok: true; readonly attachment: Attachment }
  | { readonly ok: false; readonly code: string };

interface Upload {
  readonly tokens: TokenSource;
  readonly chatId: string;
  readonly file: File;
  /** Receives the sent fraction, from 0 to 1. */
  readonly onProgress: (fraction: number) => void;
  readonly signal: AbortSignal;
}

/** Uploads a file with `XMLHttpRequest`, because `fetch` reports no progress. Retries once with a new session. */
async function upload(options: Upload): Promise<Uploaded> {
  for (let attempt = 0; ; attempt += 1) {
    const token = await options.tokens.accessToken();
    if (token === null || options.signal.aborted) return { ok: false, code: '' };
    const { status, text } = await send(options, token);
    const isRejected = status === 401 || status === 410;
    if (isRejected) await options.tokens.reject(token);
    if (isRejected && attempt === 0) continue;
    return status === 201
      ? { ok: true, attachment: JSON.parse(text) as Attachment }
      : { ok: false, code: codeOf(text) };
  }
}

function send(
  { chatId, file, onProgress, signal }: Upload,
  token: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const { promise, resolve } = Promise.withResolvers<{ status: number; text: string }>();
  const request = new XMLHttpRequest();
  request.open('POST', `/chat/${encodeURIComponent(chatId)}/attachments`);
  request.setRequestHeader('authorization', `Bearer ${token}`);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const restartTimer = () => {
    clearTimeout(timer);
    timer = setTimeout(() => request.abort(), IDLE_TIMEOUT_MS);
  };
  request.upload.onprogress = ({ loaded, total }) => {
    restartTimer();
    onProgress(loaded / total);
  };
  request.onloadend = () => clearTimeout(timer);
  request.onload = () => resolve({ status: request.status, text: request.responseText });
  request.onerror = request.onabort = () => resolve({ status: 0, text: '' });
  signal.addEventListener('abort', () => request.abort(), { once: true });
  const form = new FormData();
  form.set('file', file);
  request.send(form);
  restartTimer();
  return promise;
}

function codeOf(text: string): string {
  try {
    return String((JSON.parse(text) as { code?: unknown }).code ?? '');
  } catch {
    return '';
  }
}
