import assert from 'node:assert/strict';
import type { Attachment, FilePart } from '@gatehouse/contract';

export interface SentFile {
  readonly name: string;
  readonly content: string | Uint8Array;
}

/** Uploads an attachment with further text parts and returns the response. */
export function sendAttachment(
  url: string,
  as: string,
  chatId: string,
  { name, content }: SentFile,
  parts: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const form = new FormData();
  form.set(
    'file',
    new File([typeof content === 'string' ? content : new Uint8Array(content)], name),
  );
  for (const [part, text] of Object.entries(parts)) form.set(part, text);
  return fetch(`${url}/chat/${encodeURIComponent(chatId)}/attachments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${as}` },
    body: form,
  });
}

/** Uploads an attachment and returns it. */
export async function attach(
  url: string,
  as: string,
  chatId: string,
  file: SentFile,
): Promise<Attachment> {
  const response = await sendAttachment(url, as, chatId, file);
  const text = await response.text();
  assert.equal(response.status, 201, text);
  return JSON.parse(text) as Attachment;
}

/** Returns the body of a question with attachments. */
export function questionWith(id: string, text: string, parts: readonly FilePart[] = []) {
  const message = { id: text, role: 'user', parts: [{ type: 'text', text }, ...parts] };
  return { id, messages: [message] };
}
