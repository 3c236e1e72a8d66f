import { createPageReader } from '../event-log/read-page.ts';
import { serveReads } from './reader-thread.ts';

serveReads(createPageReader);
