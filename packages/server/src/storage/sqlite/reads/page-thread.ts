import { answerQuestions } from './answering.ts';
import { createPageReader } from '../event-log/read-page.ts';

answerQuestions(createPageReader);
