import { ApiError } from '@gatehouse/contract';

export function noSuchVersion(): ApiError {
  return new ApiError({
    status: 404,
    code: 'knowledge.no-version',
    message: 'The document has no such version; only its last ten versions are kept.',
  });
}

/** The caller must choose the properties of the restored document, because filters can read them. */
export function propertiesDiffer(): ApiError {
  return new ApiError({
    status: 409,
    code: 'knowledge.properties-differ',
    message:
      'The file name, media type, language or metadata of the version differ from those of the document; set `properties` to `current` or `version`.',
  });
}

/** The content cannot be combined with the current properties, because the parser depends on the media type. */
export function formatDiffers(current: string, ofVersion: string): ApiError {
  return new ApiError({
    status: 409,
    code: 'knowledge.format-differs',
    message: `The document is ${current} and the version is ${ofVersion}; set \`properties\` to \`version\`, or upload the file of the version.`,
  });
}

/** Another uploaded document has the same bytes and the same name. */
export function sameFileExists(): ApiError {
  return new ApiError({
    status: 409,
    code: 'knowledge.same-file',
    message:
      'Another document of the space has the same file and file name; delete it, or change that document instead.',
  });
}
