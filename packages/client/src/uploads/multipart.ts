import type { Content } from '../http/input.ts';
import { randomKey } from '../http/random-key.ts';
import type { Fetch, UploadProgress } from '../options.ts';

/** A file to upload. A function is called for each attempt, so its stream can be sent again. A stream is sent only once. */
export type FileSource = Blob | ArrayBuffer | Uint8Array | Stream | (() => Stream);
/** A stream of bytes, such as a `ReadableStream`, or a `Readable` of Node. */
export type Stream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

export interface UploadSettings {
  readonly onProgress: ((progress: UploadProgress) => void) | undefined;
  /** `true`: the global `fetch` is used, so `XMLHttpRequest` may replace it to report progress. */
  readonly hasGlobalFetch: boolean;
}

/** Returns the multipart body (RFC 7578) of a file and other parts. */
export function multipart(
  file: FileSource,
  fileName: string,
  parts: Readonly<Record<string, string | undefined>>,
  { onProgress, hasGlobalFetch }: UploadSettings,
): Content {
  const boundary = randomKey();
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
  const known =
    file instanceof ArrayBuffer || ArrayBuffer.isView(file)
      ? new Blob([file as ArrayBuffer])
      : file;
  const part = (name: string, rest: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${rest}\r\n\r\n`;
  const type = (known instanceof Blob && known.type) || 'application/octet-stream';
  const head =
    Object.entries(parts)
      .map(([name, value]) => (value === undefined ? '' : `${part(name, '')}${value}\r\n`))
      .join('') + part('file', `; filename="${escapeName(fileName)}"\r\nContent-Type: ${type}`);
  const tail = `\r\n--${boundary}--\r\n`;
  if (known instanceof Blob) {
    const whole = new Blob([head, known, tail]);
    const start = whole.size - known.size - tail.length;
    const report = (sent: number) =>
      onProgress?.({ loaded: Math.min(known.size, Math.max(0, sent - start)), total: known.size });
    if (onProgress === undefined) return { init: () => ({ headers, body: whole }), once: false };
    const fetch = hasGlobalFetch ? xhrFetch(report) : undefined;
    if (fetch !== undefined) return { init: () => ({ headers, body: whole }), fetch, once: false };
    return {
      init: () => ({ headers, body: counted([whole.stream()], report), duplex: 'half' }),
      once: false,
    };
  }
  const report = (loaded: number) => onProgress?.({ loaded, total: undefined });
  const encode = (text: string) => new Blob([text]).stream();
  return {
    init: () => {
      const stream = typeof known === 'function' ? known() : known;
      const body = counted([encode(head), counted([stream], report), encode(tail)]);
      return { headers, body, duplex: 'half' };
    },
    once: typeof known !== 'function',
  };
}

/** Escapes a file name as browsers do (https://html.spec.whatwg.org/#multipart-form-data). */
function escapeName(name: string): string {
  return name.replace(/[\r\n"]/g, (character) => encodeURIComponent(character));
}

/** Joins streams and reports the number of bytes that were read. */
function counted(
  streams: readonly Stream[],
  report?: (bytes: number) => void,
): ReadableStream<Uint8Array> {
  const chunks = join(streams);
  let bytes = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) return controller.close();
        bytes += value.byteLength;
        report?.(bytes);
        controller.enqueue(value);
      },
      async cancel() {
        await chunks.return();
      },
    },
    { highWaterMark: 0 },
  );
}

async function* join(streams: readonly Stream[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (const stream of streams) {
    if (!('getReader' in stream)) yield* stream;
    else {
      // Not every browser can iterate over a stream.
      const reader = stream.getReader();
      try {
        for (let read = await reader.read(); !read.done; read = await reader.read())
          yield read.value;
      } finally {
        reader.cancel().catch(() => {});
      }
    }
  }
}

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
function xhrFetch(onSent: (bytes: number) => void): Fetch | undefined {
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
