import type { Fetch } from '../options.ts';

/** The part of `XMLHttpRequest` that uploads use. Browsers report the progress of an upload only there. */
interface Xhr {
  readonly upload: { onprogress: ((event: { readonly loaded: number }) => void) | null };
  readonly status: number;
  readonly responseText: string;
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getResponseHeader(name: string): string | null;
  send(body: unknown): void;
  abort(): void;
}

/** Returns a `fetch` for uploads that reports the number of sent bytes, or `undefined` outside of browsers. */
export function xhrFetch(onSent: (bytes: number) => void): Fetch | undefined {
  const { XMLHttpRequest } = globalThis as { readonly XMLHttpRequest?: new () => Xhr };
  if (XMLHttpRequest === undefined) return undefined;
  return (url, { method = 'POST', headers, body, signal }) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const request = new XMLHttpRequest();
      request.upload.onprogress = ({ loaded }) => onSent(loaded);
      request.onerror = request.onabort = () => reject(new TypeError('the upload failed'));
      request.onload = () => {
        const shown = ['x-request-id', 'retry-after'].flatMap((name): [string, string][] => {
          const value = request.getResponseHeader(name);
          return value === null ? [] : [[name, value]];
        });
        resolve(new Response(request.responseText, { status: request.status, headers: shown }));
      };
      request.open(method, url);
      for (const [name, value] of Object.entries(headers ?? {}))
        request.setRequestHeader(name, value);
      signal?.addEventListener('abort', () => request.abort());
      request.send(body);
    });
}
