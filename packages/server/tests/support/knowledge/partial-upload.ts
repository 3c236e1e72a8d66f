import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const BOUNDARY = 'boundary-of-this-upload';

/** A multipart upload that the test sends piece by piece, without a declared length. */
export interface PartialUpload {
  /** Sends content of the file. Resolves when the service has accepted it into its network buffers. */
  send(content: Uint8Array): Promise<void>;
  /** Ends the body and returns the status of the response. */
  finish(): Promise<number>;
  /** Resolves with the status if the service responds before the body has ended. */
  readonly status: Promise<number>;
  abandon(): void;
}

export interface UploadTarget {
  /** Path of the documents of a space, or of a document by key. */
  readonly path: string;
  readonly fileName: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function beginUpload(
  url: string,
  as: string,
  { path, fileName, method = 'POST', headers = {} }: UploadTarget,
): PartialUpload {
  const outgoing: ClientRequest = request(`${url}${path}`, {
    method,
    // Without `Connection: keep-alive`, the service closes the connection after a response to an incomplete body, and writing
    // may fail before the response is read.
    agent: new Agent({ keepAlive: true }),
    headers: {
      ...headers,
      authorization: `Bearer ${as}`,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    },
  });
  outgoing.on('error', () => {});
  const status = (once(outgoing, 'response') as Promise<[IncomingMessage]>).then(([response]) => {
    response.resume();
    return response.statusCode ?? 0;
  });
  // Avoids an unhandled rejection if the test abandons the upload.
  status.catch(() => {});
  outgoing.write(
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\n\r\n`,
  );
  return {
    async send(content) {
      if (!outgoing.write(content)) await Promise.race([once(outgoing, 'drain'), status]);
    },
    finish() {
      outgoing.end(`\r\n--${BOUNDARY}--\r\n`);
      return status;
    },
    status,
    abandon: () => outgoing.destroy(),
  };
}

/**
 * Begins an upload and waits until the service runs it.
 *
 * @param isRunning sends a request with the same `Idempotency-Key` and reports whether it was rejected because the upload runs. The
 *   request can also make the service reject the upload, which is then sent again.
 */
export async function runUpload(
  begin: () => PartialUpload,
  isRunning: () => Promise<boolean>,
): Promise<PartialUpload> {
  for (;;) {
    const upload = begin();
    await upload.send(Buffer.from('The first part.'));
    let isRejected = false;
    upload.status.then(
      () => {
        isRejected = true;
      },
      () => {},
    );
    while (!isRejected) {
      if (await isRunning()) return upload;
      await sleep(20);
    }
  }
}
