import Type from 'typebox';
import {
  EXAMPLE_DOCUMENT_ID,
  EXAMPLE_SPACE_ID,
  EXAMPLE_TIME,
  Int,
  Nullable,
  OneOf,
  Str,
  Timestamp,
  Uuid,
} from '../common.ts';
import { Metadata } from './document-fields.ts';

export const DocumentState = OneOf(
  ['processing', 'ready', 'failed'],
  'State of indexing the newest version. Searches find a document once one of its versions is `ready`.',
);
export type DocumentState = Type.Static<typeof DocumentState>;

export const Document = Type.Object({
  id: Uuid('ID of the document.'),
  spaceId: Uuid('ID of the space.'),
  key: Nullable(Str('Key of the document. `null`: it was created without a key.')),
  fileName: Str('File name without a path.'),
  mimeType: Str('Media type of the file.'),
  language: Nullable(Str('Language tag from the upload or from the file (BCP 47).')),
  title: Str(
    'Title that citations show: the given title, or else the title in the file, or else the file name. A title in the file is known once the document is `ready`.',
  ),
  givenTitle: Nullable(
    Str('Title that was set in an upload or a change. `null`: `title` comes from the file.'),
  ),
  url: Nullable(Str('URL that citations link to.')),
  bytes: Int('Size of the file in bytes.'),
  state: DocumentState,
  failure: Nullable(Str('Reason for the state `failed`. `null` in other states.')),
  passages: Int('Number of passages. `0` until the document is `ready`.'),
  metadata: Metadata,
  createdAt: Timestamp('Time of the upload.'),
  updatedAt: Timestamp('Time of the last change.'),
});
export type Document = Type.Static<typeof Document>;

export const exampleDocument = {
  id: EXAMPLE_DOCUMENT_ID,
  spaceId: EXAMPLE_SPACE_ID,
  key: null,
  fileName: 'returns.md',
  mimeType: 'text/markdown',
  language: 'en',
  title: 'Returns',
  givenTitle: 'Returns',
  url: 'https://shop.example/help/returns',
  bytes: 2314,
  state: 'ready' as const,
  failure: null,
  passages: 4,
  metadata: { department: 'support', audience: ['customer', 'staff'] },
  createdAt: EXAMPLE_TIME,
  updatedAt: EXAMPLE_TIME,
};
