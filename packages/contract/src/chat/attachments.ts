import Type from 'typebox';
import { Body, STORABLE_PATTERN, Str, Uuid } from '../common.ts';
import { errorOf, json, operation, PERMISSIONS } from '../operation.ts';

/** Maximum number of attachments of one message. */
export const MAX_ATTACHMENTS_OF_MESSAGE = 10;
/** Maximum characters of the text of one attachment. */
export const MAX_ATTACHMENT_TEXT = 200_000;
/** Maximum size of an upload in bytes: the largest attachment, and the other lines of the multipart body. */
const MAX_ATTACHMENT_UPLOAD_BYTES = 26 * 1024 * 1024;
const URL_PREFIX = 'urn:uuid:';

/** Returns the `url` of the part that refers to an attachment. */
export function attachmentUrl(id: string): string {
  return URL_PREFIX + id;
}

/** Returns the ID of the attachment with this `url`, or `null` for any other text. */
export function attachmentIdOf(url: string): string | null {
  const [, id] = /^urn:uuid:([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i.exec(url) ?? [];
  return id?.toLowerCase() ?? null;
}

export const FilePart = Type.Object({
  type: Type.Literal('file', { description: 'Type of the part.' }),
  mediaType: Str('Media type of the file.'),
  filename: Str('Name of the file.'),
  url: Str(
    '`urn:uuid:` and the ID of the attachment. It identifies the attachment and cannot be opened.',
  ),
});
export type FilePart = Type.Static<typeof FilePart>;

const EXAMPLE_ATTACHMENT_ID = '5f0c7a52-3d0e-4b6e-9a57-2f6f0d1f8c11';
export const exampleFilePart: FilePart = {
  type: 'file',
  mediaType: 'application/pdf',
  filename: 'invoice.pdf',
  url: attachmentUrl(EXAMPLE_ATTACHMENT_ID),
};

export const Attachment = Type.Object({
  id: Uuid('ID of the attachment.'),
  size: Type.Integer({ minimum: 1, description: 'Size of the file in bytes.' }),
  part: FilePart,
});
export type Attachment = Type.Static<typeof Attachment>;

const ChatId = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: STORABLE_PATTERN,
  description: 'ID of the chat, assigned by the client, or ID of a conversation of the caller.',
});

export const addAttachment = operation({
  id: 'addAttachment',
  feature: 'chat',
  method: 'POST',
  path: '/chat/{chatId}/attachments',
  summary: 'Upload an attachment',
  description:
    'Extracts the text of a file, which the assistant then uses in this chat only. Accepts plain text, Markdown, HTML, CSV, JSON, PDF and DOCX files. The service stores the text and discards the file. Send `part` of the response in the next message of the chat, in addition to its text. An attachment that no message refers to is removed after an hour. If the link stores no conversations, each attachment is removed 15 minutes after the last question of the chat. The number of attachments, their size and the uploads per minute are limited.',
  permission: PERMISSIONS.widgetSession,
  credentials: ['widgetSession'],
  params: Type.Object({ chatId: ChatId }),
  paramsExample: { chatId: 'q1Zk3v0b' },
  otherBodies: {
    'multipart/form-data': {
      schema: Body({
        file: Type.String({ format: 'binary', description: 'The file with its name.' }),
      }),
      example: { file: 'Invoice 1001. Total: 40 euros.' },
    },
  },
  bodyLimit: MAX_ATTACHMENT_UPLOAD_BYTES,
  responses: {
    201: json('The attachment.', Attachment, {
      id: EXAMPLE_ATTACHMENT_ID,
      size: 48_211,
      part: exampleFilePart,
    }),
  },
  errors: [400, 401, 403, 410, 413, 415, 429, 503],
  errorExamples: {
    400: errorOf(
      'chat.attachment-unreadable',
      'The text of the file could not be extracted. The document needs a password.',
    ),
    403: errorOf('chat.attachments-disabled', 'This assistant accepts no attachments.'),
    413: errorOf('chat.attachment-too-large', 'An attachment may have at most 10 MiB.'),
    415: errorOf(
      'http.media-type-unsupported',
      'This content type is not supported; send multipart/form-data.',
    ),
    429: errorOf(
      'chat.too-many-attachments',
      'You have uploaded too many files in a short time. Try again in 12 seconds.',
    ),
  },
});

export const removeAttachment = operation({
  id: 'removeAttachment',
  feature: 'chat',
  method: 'DELETE',
  path: '/chat/{chatId}/attachments/{attachmentId}',
  summary: 'Remove an attachment before it is sent',
  description:
    'Idempotent. An attachment that a stored message refers to is not removed; it is removed together with its message or conversation.',
  permission: PERMISSIONS.widgetSession,
  credentials: ['widgetSession'],
  params: Type.Object({ chatId: ChatId, attachmentId: Uuid('ID of the attachment.') }),
  paramsExample: { chatId: 'q1Zk3v0b', attachmentId: EXAMPLE_ATTACHMENT_ID },
  responses: { 204: { description: 'No unsent attachment with this ID exists in the chat.' } },
  errors: [400, 401, 403, 410],
});
