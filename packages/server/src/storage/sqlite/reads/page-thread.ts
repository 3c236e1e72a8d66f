import { createPageReader } from '../event-log/read-page.ts';
import { answerQuestions } from './answering.ts';

answerQuestions(createPageReader);
