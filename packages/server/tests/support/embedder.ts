import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Embedder extends AsyncDisposable {
  readonly origin: string;
  /** Serves this page from now on. */
  page(html: string, headers?: Readonly<Record<string, string>>): void;
}

/** A web site of somebody else, on a port and therefore an origin of its own. */
export async function openEmbedder(): Promise<Embedder> {
  let body = '';
  let extra: Readonly<Record<string, string>> = {};
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...extra });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    page: (html, headers = {}) => {
      body = html;
      extra = headers;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A page that holds another one in a frame. */
export function framing(url: string, attributes = ''): string {
  return `<!doctype html><title>Shop</title><iframe width="400" height="600" ${attributes} src="${url}"></iframe>`;
}
