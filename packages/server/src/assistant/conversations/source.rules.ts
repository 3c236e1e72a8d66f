import type { SourcePart } from '@gatehouse/contract';
import type { NamedDocument } from '../../knowledge/index.ts';

/** A citation as it is kept: where the passage stands, and not what it says. */
export interface Source {
  /** As the answer cites it. */
  readonly number: number;
  readonly documentId: string;
  readonly position: number;
  readonly heading: string | null;
}

/** A citation as it is shown, with what its document is called today. */
export function toSourcePart(
  { number, documentId, position, heading }: Source,
  { fileName, mimeType }: NamedDocument,
): SourcePart {
  return {
    type: 'source-document',
    sourceId: `${documentId}#${position}`,
    mediaType: mimeType,
    title: fileName,
    filename: fileName,
    providerMetadata: { gatehouse: { number, documentId, position, heading } },
  };
}
