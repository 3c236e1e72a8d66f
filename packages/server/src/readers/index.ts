export {
  createReaders,
  type Readers,
  type ReadersDeps,
  type RegisteredReader,
} from './create-readers.ts';
export type { EventReader, EventReaderOptions } from './event-reader.service.ts';
