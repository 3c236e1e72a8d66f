import Type from 'typebox';
import { FreeObject, SpaceParams, Text, Uuid } from '../common.ts';

export const MAX_FILE_NAME_LENGTH = 255;
export const MAX_TITLE_LENGTH = 500;
export const MAX_DOCUMENT_URL_LENGTH = 2000;

export const Language = Text({
  description: 'Language tag (BCP 47), such as `de` or `pt-BR`.',
  minLength: 1,
  maxLength: 35,
});
export const FileName = Text({
  description:
    'File name without a path. Its extension determines the format, unless `text`, `html` or `markdown` is given.',
  minLength: 1,
  maxLength: MAX_FILE_NAME_LENGTH,
});
export const Title = Text({
  description:
    'Title that citations show. Default: the title in the file, such as the `<title>` of HTML, or else the file name. White space is collapsed, and control characters are removed.',
  minLength: 1,
  maxLength: MAX_TITLE_LENGTH,
});
export const DocumentUrl = Text({
  description:
    'Absolute `http` or `https` URL that citations link to, without user name and password.',
  minLength: 1,
  maxLength: MAX_DOCUMENT_URL_LENGTH,
});
export const Metadata = FreeObject(
  'Metadata for filters: any JSON object of at most 64 KiB. Keys must not be empty or contain a dot. The top-level keys `fileName`, `mimeType`, `language`, `createdAt`, `updatedAt`, `and`, `or`, `not` and `search` are reserved.',
);

export const DocumentParams = Type.Object({
  ...SpaceParams.properties,
  documentId: Uuid('ID of the document.'),
});
