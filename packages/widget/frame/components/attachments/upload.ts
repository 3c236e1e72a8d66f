import type { Attachment } from '@gatehouse/contract';
import type { TokenSource } from '../../api/api.ts';

/** Result of an upload. A `code` is an error code of the service, or an empty text without a connection. */
export type Uploaded =
  | { readonly ok: true; readonly attachment: Attachment }
  | { readonly ok: false; readonly code: string };

export interface Upload {
  readonly tokens: TokenSource;
  readonly chatId: string;
  readonly file: File;
  /** Receives the sent fraction, from 0 to 1. */
  readonly onProgress: (fraction: number) => void;
  readonly signal: AbortSignal;
}

/** Uploads a file with `XMLHttpRequest`, because `fetch` reports no progress. Retries once with a new session. */
export async function upload(options: Upload): Promise<Uploaded> {
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
  request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total);
  request.onload = () => resolve({ status: request.status, text: request.responseText });
  request.onerror = request.onabort = () => resolve({ status: 0, text: '' });
  signal.addEventListener('abort', () => request.abort(), { once: true });
  const form = new FormData();
  form.set('file', file);
  request.send(form);
  return promise;
}

function codeOf(text: string): string {
  try {
    return String((JSON.parse(text) as { code?: unknown }).code ?? '');
  } catch {
    return '';
  }
}
