import type { KnowledgeEngine, Passage } from '../../storage/ports/index.ts';
import { invalid } from '../documents/document.errors.ts';
import { streamParts } from '../documents/document-parts.repository.ts';
import { fileNameProblem } from '../documents/file-name.rules.ts';
import { detectFormat } from '../documents/sent-document.ts';
import type { Extractor, KnownMimeType, PassageSink } from '../parsers/extractor.ts';
import type { Content } from './content.ts';
import { readMultipart } from './multipart.ts';
import { type FileWriter, OriginalWriter, type ReceivedFile } from './original-writer.ts';
import type { StagedOriginals } from './staged-original.repository.ts';

export interface UploadToRead {
  readonly spaceId: string;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** `Content-Type` of the request with its boundary. */
  readonly contentType: string;
  /** Called with the size of the file while it arrives. Throws to reject the file. */
  readonly checkSize: (bytes: number) => void;
  /** Called with the length of the text while it is extracted. Throws to reject the file. */
  readonly checkText: (characters: number) => void;
  /** Cancels the extraction. */
  readonly signal: AbortSignal;
}

export interface ReadFile {
  readonly fileName: string;
  readonly mimeType: string;
  /** Size of the file in bytes. */
  readonly size: number;
  /** At least one passage. */
  readonly passages: readonly Passage[];
}

export type ReadUpload = (upload: UploadToRead) => Promise<
  | { readonly ok: true; readonly file: ReadFile }
  /** The text cannot be extracted. The reason is for the owner of the file. */
  | { readonly ok: false; readonly reason: string }
>;

/**
 * Creates a function that receives a file and extracts its text in the parser processes. The file is staged part by part while it
 * arrives, and discarded afterwards. The body has no other parts. Throws 400, 413 or 415 as an upload of a document does.
 */
export function createReadUpload({
  engine,
  extractor,
  staged,
}: {
  readonly engine: Pick<KnowledgeEngine, 'db'>;
  readonly extractor: Pick<Extractor, 'extract'>;
  readonly staged: StagedOriginals;
}): ReadUpload {
  function bytesOf(content: Content): AsyncIterable<Uint8Array> {
    if (!(content instanceof Uint8Array)) return streamParts(engine.db, content, content.size);
    return (async function* () {
      yield content;
    })();
  }

  return async ({ spaceId, chunks, contentType, checkSize, checkText, signal }) => {
    await using writer = new OriginalWriter(staged, spaceId);
    const parts = await readMultipart(chunks, contentType, checked(writer, checkSize), []);
    const { name: fileName, content, traits, contentType: fileType } = parts.file;
    const problem = fileNameProblem(fileName);
    if (problem !== null) throw invalid([{ message: problem }]);
    const mimeType = detectFormat('file', { fileName, contentType: fileType, traits });
    const sink = new Collected(checkText);
    const extraction = await extractor.extract(
      {
        spaceId,
        mimeType: mimeType as KnownMimeType,
        size: traits.size,
        read: () => bytesOf(content),
        signal,
      },
      sink,
    );
    if (!extraction.ok) return { ok: false, reason: extraction.reason };
    return { ok: true, file: { fileName, mimeType, size: traits.size, passages: sink.passages } };
  };
}

function checked(
  writer: OriginalWriter,
  checkSize: (bytes: number) => void,
): FileWriter<ReceivedFile> {
  let size = 0;
  return {
    write(chunk) {
      size += chunk.length;
      checkSize(size);
      return writer.write(chunk);
    },
    finish: () => writer.finish(),
  };
}

class Collected implements PassageSink {
  readonly #check: (characters: number) => void;
  #passages: Passage[] = [];
  #characters = 0;

  constructor(check: (characters: number) => void) {
    this.#check = check;
  }

  get passages(): readonly Passage[] {
    return this.#passages;
  }

  async begin(): Promise<void> {
    this.#passages = [];
    this.#characters = 0;
  }

  async add(passages: readonly Passage[]): Promise<void> {
    for (const { text } of passages) this.#characters += text.length;
    this.#check(this.#characters);
    this.#passages.push(...passages);
  }
}
