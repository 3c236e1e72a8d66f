import type { ApiError } from '@gatehouse/contract';
import { conflict, notFound } from '../../http/index.ts';

export function noSuchVersion(): ApiError {
  return notFound(
    'knowledge.no-version',
    'The document has no such version; only its last ten versions are kept.',
  );
}

/** The caller must choose the properties of the restored document, because filters can read them. */
export function propertiesDiffer(): ApiError {
  return conflict(
    'knowledge.properties-differ',
    'The file name, media type, language or metadata of the version differ from those of the document; set `properties` to `current` or `version`.',
  );
}

/** The content cannot be combined with the current properties, because the parser depends on the media type. */
export function formatDiffers(current: string, ofVersion: string): ApiError {
  return conflict(
    'knowledge.format-differs',
    `The document is ${current} and the version is ${ofVersion}; set \`properties\` to \`version\`, or upload the file of the version.`,
  );
}

/** Another uploaded document has the same bytes and the same name. */
export function sameFileExists(): ApiError {
  return conflict(
    'knowledge.same-file',
    'Another document of the space has the same file and file name; delete it, or change that document instead.',
  );
}
