import { createPageReader } from '../event-log/read-page.ts';
import { answerQuestions } from './reader-thread.ts';

answerQuestions(createPageReader);
