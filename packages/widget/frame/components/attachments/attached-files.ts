import type { FilePart } from '@gatehouse/contract';
import { type Signal, signal } from '@preact/signals';
import type { Api } from '../../api/api.ts';
import { randomId } from '../../chat/message.ts';
import { type Uploaded, upload } from './upload.ts';

/** A file that the person has attached and not sent yet. */
export interface AttachedFile {
  readonly id: string;
  readonly name: string;
  /** Sent fraction. 1 while the service reads the file. */
  readonly progress: number;
  /** `null` until the upload has ended. */
  readonly result: Uploaded | null;
}

/** The attached files of one chat, from their selection until they are sent or removed. */
export class AttachedFiles implements Disposable {
  readonly files: Signal<readonly AttachedFile[]> = signal<readonly AttachedFile[]>([]);
  readonly #api: Api;
  readonly #chatId: string;
  readonly #uploads = new Map<string, { ending: AbortController; done: Promise<void> }>();

  constructor(api: Api, chatId: string) {
    this.#api = api;
    this.#chatId = chatId;
  }

  add(chosen: Iterable<File>): void {
    for (const file of chosen) {
      const id = randomId();
      this.files.value = [...this.files.peek(), { id, name: file.name, progress: 0, result: null }];
      const ending = new AbortController();
      this.#uploads.set(id, { ending, done: this.#upload(id, file, ending.signal) });
    }
  }

  /** Removes a file. Also removes it from the service, which would otherwise keep it for some time. */
  remove(id: string): void {
    this.#uploads.get(id)?.ending.abort();
    const removed = this.files.peek().find((file) => file.id === id);
    this.files.value = this.files.peek().filter((file) => file.id !== id);
    if (removed?.result?.ok) this.#delete(removed.result.attachment.id);
  }

  /** Waits for the uploads, and returns the parts of the uploaded files. Failed files remain, so that the person sees the reason. */
  async take(): Promise<readonly FilePart[]> {
    await Promise.all([...this.#uploads.values()].map(({ done }) => done));
    const parts = this.files
      .peek()
      .flatMap(({ result }) => (result?.ok ? [result.attachment.part] : []));
    this.files.value = this.files.peek().filter(({ result }) => !result?.ok);
    return parts;
  }

  [Symbol.dispose](): void {
    for (const { id } of this.files.peek()) this.remove(id);
  }

  async #upload(id: string, file: File, signal: AbortSignal): Promise<void> {
    const result = await upload({
      tokens: this.#api.tokens,
      chatId: this.#chatId,
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
    const path = `/chat/${encodeURIComponent(this.#chatId)}/attachments/${attachmentId}`;
    void this.#api.send({ method: 'DELETE', path });
  }
}
