export { createReaders, type Readers, type ReadersDeps } from './create-readers.ts';
export type { EventReader, EventReaderOptions } from './event-reader.service.ts';
