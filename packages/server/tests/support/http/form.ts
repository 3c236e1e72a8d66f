import type { Send } from './client.ts';

/** Returns a `multipart/form-data` request with a file and other parts. */
export async function formOf(
  name: string,
  content: string | Uint8Array<ArrayBuffer>,
  parts: Readonly<Record<string, string>> = {},
): Promise<Send> {
  const form = new FormData();
  form.set('file', new File([content], name));
  for (const [part, value] of Object.entries(parts)) form.set(part, value);
  const encoded = new Response(form);
  const body = new Uint8Array(await encoded.arrayBuffer());
  const contentType = encoded.headers.get('content-type') ?? '';
  return { body, headers: { 'content-type': contentType } };
}
