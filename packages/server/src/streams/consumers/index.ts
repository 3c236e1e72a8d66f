export {
  createReaders,
  type Readers,
  type ReadersDeps,
  type RegisteredReader,
} from './create-readers.ts';
export type { EventReader } from './event-reader.service.ts';
export type { EventReaderOptions } from './event-reader-options.ts';
